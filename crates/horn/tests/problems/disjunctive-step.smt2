; expect: sat
(set-logic HORN)
(declare-fun inv (Int Int) Bool)
(assert (inv 0 0))
(assert (forall ((x Int) (y Int) (a Int) (b Int)) (=> (and (inv x y) (or (and (= a (+ x 1)) (= b y)) (and (= a x) (= b (+ y 1))) (and (> x y) (= a y) (= b x)))) (inv a b))))
(assert (forall ((x Int) (y Int)) (=> (and (inv x y) (< (+ x y) 0)) false)))
(check-sat)
