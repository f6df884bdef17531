; expect: sat
(set-logic HORN)
(declare-fun inv (Int Int Int) Bool)
(assert (forall ((y Int) (z Int)) (inv (+ y z) y z)))
(assert (forall ((x Int) (y Int) (z Int)) (=> (inv x y z) (inv (+ x 2) (+ y 1) (+ z 1)))))
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (inv x y z) (> z 0)) (inv (- x 1) y (- z 1)))))
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (inv x y z) (distinct x (+ y z))) false)))
(check-sat)
