; expect: sat
(set-logic HORN)
(declare-fun inv (Int Int Int) Bool)
(assert (forall ((n Int)) (inv 0 0 n)))
(assert (forall ((x Int) (y Int) (n Int)) (=> (and (inv x y n) (< x n)) (inv (+ x 1) (+ y 1) n))))
(assert (forall ((x Int) (y Int) (n Int)) (=> (and (inv x y n) (>= x n) (>= n 0) (not (= y n))) false)))
(check-sat)
