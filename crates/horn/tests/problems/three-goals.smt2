; expect: unsat
(set-logic HORN)
(declare-fun p (Int) Bool)
(declare-fun q (Int) Bool)
(assert (forall ((x Int)) (=> (> x 3) (p x))))
(assert (forall ((x Int) (y Int)) (=> (and (p x) (= y (- x 4))) (q y))))
(assert (forall ((x Int)) (=> (and (q x) (< x 0)) false)))
(assert (forall ((x Int)) (=> (and (p x) (q x) (> x 100)) false)))
(check-sat)
