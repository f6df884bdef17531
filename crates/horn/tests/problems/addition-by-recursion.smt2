; expect: sat
(set-logic HORN)
(declare-fun add (Int Int Int) Bool)
(assert (forall ((x Int)) (add x 0 x)))
(assert (forall ((x Int) (y Int) (r Int)) (=> (and (> y 0) (add (+ x 1) (- y 1) r)) (add x y r))))
(assert (forall ((x Int) (y Int) (r Int)) (=> (and (< y 0) (add (- x 1) (+ y 1) r)) (add x y r))))
(assert (forall ((x Int) (y Int) (r Int)) (=> (and (add x y r) (distinct r (+ x y))) false)))
(check-sat)
