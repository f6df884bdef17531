; expect: unsat
(set-logic HORN)
(declare-fun p () Bool)
(assert p)
(assert (=> p false))
(check-sat)
