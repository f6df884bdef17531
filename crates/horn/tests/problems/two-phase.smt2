; expect: sat
(set-logic HORN)
(declare-fun inv (Int Int) Bool)
(assert (inv 0 50))
(assert (forall ((x Int) (y Int)) (=> (and (inv x y) (< x 50)) (inv (+ x 1) y))))
(assert (forall ((x Int) (y Int)) (=> (and (inv x y) (>= x 50) (< x 100)) (inv (+ x 1) (+ y 1)))))
(assert (forall ((x Int) (y Int)) (=> (and (inv x y) (>= x 100) (not (= y 100))) false)))
(check-sat)
