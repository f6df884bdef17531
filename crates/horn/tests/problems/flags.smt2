; expect: sat
(set-logic HORN)
(declare-fun inv (Bool Int Bool) Bool)
(assert (inv false 0 false))
(assert (forall ((b Bool) (x Int) (c Bool)) (=> (inv b x c) (inv (not b) (ite b (+ x 1) x) b))))
(assert (forall ((b Bool) (x Int) (c Bool)) (=> (and (inv b x c) (or (< x 0) (and b c))) false)))
(check-sat)
