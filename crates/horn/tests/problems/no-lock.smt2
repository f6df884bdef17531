; expect: unsat
(set-logic HORN)
(declare-fun s (Int Int) Bool)
(assert (s 0 0))
(assert (forall ((a Int) (b Int)) (=> (and (s a b) (= a 0)) (s 1 b))))
(assert (forall ((a Int) (b Int)) (=> (and (s a b) (= b 0)) (s a 1))))
(assert (not (exists ((a Int)) (and (s a a) (> a 0)))))
(check-sat)
