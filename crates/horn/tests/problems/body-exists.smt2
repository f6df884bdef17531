; expect: sat
(set-logic HORN)
(declare-fun p (Int Int) Bool)
(declare-fun q (Int) Bool)
(assert (forall ((x Int)) (p x (+ x 1))))
(assert (forall ((x Int)) (=> (exists ((y Int)) (and (p x y) (> y 0))) (q x))))
(assert (forall ((x Int)) (=> (q x) (>= x 0))))
(check-sat)
