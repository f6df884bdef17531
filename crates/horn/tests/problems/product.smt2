; expect: unsat
(set-logic HORN)
(declare-fun inv (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (> x 1) (> y 1)) (inv x y))))
(assert (forall ((x Int) (y Int)) (=> (and (inv x y) (= (* x y) 15)) false)))
(check-sat)
