/* An account that several threads use. */
struct account;

struct account *open_account(int balance);
int withdraw(struct account *account, int amount);
int balance_of(struct account *account);
