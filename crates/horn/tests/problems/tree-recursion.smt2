; expect: sat
(set-logic HORN)
(declare-fun size (Int Int) Bool)
(assert (forall ((d Int)) (=> (<= d 0) (size d 1))))
(assert (forall ((d Int) (a Int) (b Int)) (=> (and (> d 0) (size (- d 1) a) (size (- d 1) b)) (size d (+ 1 a b)))))
(assert (forall ((d Int) (r Int)) (=> (and (size d r) (< r 1)) false)))
(check-sat)
