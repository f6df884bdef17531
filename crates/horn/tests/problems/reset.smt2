; expect: sat
(set-logic HORN)
(declare-fun inv (Int Int) Bool)
(assert (inv 1 1))
(assert (forall ((x Int) (y Int)) (=> (inv x y) (inv (+ x y) (+ x y)))))
(assert (forall ((x Int) (y Int)) (=> (and (inv x y) (< y 1)) false)))
(check-sat)
