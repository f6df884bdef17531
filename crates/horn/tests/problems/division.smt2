; expect: sat
(set-logic HORN)
(declare-fun inv (Int Int) Bool)
(assert (forall ((x Int)) (=> (and (>= x 0) (< x 100)) (inv x x))))
(assert (forall ((x Int) (y Int)) (=> (and (inv x y) (> y 0)) (inv x (div y 2)))))
(assert (forall ((x Int) (y Int)) (=> (and (inv x y) (or (< y 0) (> y x))) false)))
(check-sat)
