//! What is found out about programs, and that the checker agrees.
