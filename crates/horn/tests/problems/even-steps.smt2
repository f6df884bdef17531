; expect: sat
(set-logic HORN)
(declare-fun inv (Int) Bool)
(assert (inv 0))
(assert (forall ((x Int)) (=> (inv x) (inv (+ x 2)))))
(assert (forall ((x Int)) (=> (and (inv x) (= x 7)) false)))
(check-sat)
