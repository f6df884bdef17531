; expect: unsat
(set-logic HORN)
(declare-fun inv (Int) Bool)
(assert (forall ((x Int)) (=> (= (mod x 3) 1) (inv x))))
(assert (forall ((x Int)) (=> (inv x) (inv (* 2 x)))))
(assert (forall ((x Int)) (=> (and (inv x) (= (mod x 3) 2) (> x 10)) false)))
(check-sat)
