; expect: sat
(set-logic HORN)
(declare-fun s (Int Int Int Int) Bool)
(assert (forall ((n Int)) (=> (> n 0) (s 0 0 0 n))))
(assert (forall ((c Int) (p Int) (g Int) (n Int)) (=> (and (s c p g n) (< c n)) (s (+ c 1) (+ p 1) g n))))
(assert (forall ((c Int) (p Int) (g Int) (n Int)) (=> (and (s c p g n) (> c 0)) (s (- c 1) p (+ g 1) n))))
(assert (forall ((c Int) (p Int) (g Int) (n Int)) (=> (and (s c p g n) (or (> g p) (> (- p g) n))) false)))
(check-sat)
