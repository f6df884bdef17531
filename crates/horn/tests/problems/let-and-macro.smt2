; expect: sat
(set-logic HORN)
(define-fun next ((x Int)) Int (ite (< x 10) (+ x 1) 0))
(declare-fun inv (Int) Bool)
(assert (inv 0))
(assert (forall ((x Int)) (let ((y (next x))) (=> (inv x) (let ((z y)) (inv z))))))
(assert (forall ((x Int)) (=> (inv x) (and (>= x 0) (<= x 10)))))
(check-sat)
