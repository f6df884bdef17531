; expect: unsat
; A loop that counts one step too far.
(set-logic HORN)
(declare-fun loop (Int) Bool)
(assert (forall ((x Int)) (=> (= x 0) (loop x))))
(assert (forall ((x Int)) (=> (and (loop x) (<= x 2)) (loop (+ x 1)))))
(assert (forall ((x Int)) (=> (and (loop x) (> x 2)) false)))
(check-sat)
