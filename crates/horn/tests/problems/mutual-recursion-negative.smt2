; expect: sat
(set-logic HORN)
(declare-fun even (Int) Bool)
(declare-fun odd (Int) Bool)
(assert (even 0))
(assert (forall ((x Int)) (=> (even x) (odd (+ x 1)))))
(assert (forall ((x Int)) (=> (odd x) (even (+ x 1)))))
(assert (forall ((x Int)) (=> (and (odd x) (< x 1)) false)))
(check-sat)
