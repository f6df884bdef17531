//! The formatter: its style, and that it changes nothing but the looks.

use crate::common::{dump, program, source};
use crate::generate::model;
use expect_test::{Expect, expect};

fn format(text: &str) -> String {
    let (sources, file) = source(text);
    rely_model_front::format(&sources, file).unwrap()
}

/// Formats, twice, and compares the programs before and after.
fn check(text: &str, expected: Expect) {
    let formatted = format(text);
    expected.assert_eq(&formatted);
    assert_eq!(format(&formatted), formatted);
    assert_eq!(dump(&program(text)), dump(&program(&formatted)));
}

#[test]
fn one_statement_per_line() {
    check(
        "const N=3; var   x,y:int=0;thread T{local v:int in 0..N=*; x:=1;cs:y:=2;}never  T at cs&&x==2 ;",
        expect![[r#"
        const N = 3;
        var x, y: int = 0;
        thread T {
            local v: int in 0..N = *;
            x := 1;
            cs: y := 2;
        }
        never T at cs && x == 2;
    "#]],
    );
}

#[test]
fn every_statement() {
    check(
        "var x,y:int=0;var m:mutex;var a:int[2]={1,2};
         process p(n:int,b:bool){local t:thread;t:=spawn q();join t;join q;lock(m);unlock(m);x,y:=y,x;havoc x in 0..1;y:=*;assume x>0;assert y>0;await x==0;
         atomic{skip;}await x>0 do{x:=0;}if x>0{skip;}else if *{x:=1;}else{y:=1;}if y==0{}while x<3 invariant x>=0{break;}while true{continue;}{skip;}l:{m2:skip;}goto l;halt;
         l->exit:x>0;x:=1;skip;}
         process q{entry->exit:skip;}start p(1,true);
         requires x==0;ensures x!=0;invariant#(p at{l,exit}&&x>0)>=1==>x<1<==>y>0;never p.n==1;terminates;deadlock-free;",
        expect![[r#"
            var x, y: int = 0;
            var m: mutex;
            var a: int[2] = {1, 2};
            process p(n: int, b: bool) {
                local t: thread;
                t := spawn q;
                join t;
                join q;
                lock(m);
                unlock(m);
                x, y := y, x;
                havoc x in 0..1;
                y := *;
                assume x > 0;
                assert y > 0;
                await x == 0;
                atomic {
                    skip;
                }
                await x > 0 do {
                    x := 0;
                }
                if x > 0 {
                    skip;
                } else if * {
                    x := 1;
                } else {
                    y := 1;
                }
                if y == 0 {}
                while x < 3 invariant x >= 0 {
                    break;
                }
                while true {
                    continue;
                }
                {
                    skip;
                }
                l: {
                    m2: skip;
                }
                goto l;
                halt;
                l -> exit: x > 0; x := 1; skip;
            }
            process q {
                entry -> exit: skip;
            }
            start p(1, true);
            requires x == 0;
            ensures x != 0;
            invariant #(p at {l, exit} && x > 0) >= 1 ==> x < 1 <==> y > 0;
            never p.n == 1;
            terminates;
            deadlock-free;
        "#]],
    );
}

#[test]
fn comments_stay() {
    check(
        "// head\n\n\n// second\nvar x: int = 0; // behind\n/* before */ thread T { // opening\n  // first\n  x := /* inside */ 1; /* behind too */ x := 2;\n\n\n  // last\n} // closing\n\n/* several\n   lines */\nthread U { /* only */ }\n// end\n",
        expect![[r#"
            // head

            // second
            var x: int = 0; // behind
            /* before */
            thread T { // opening
                // first
                /* inside */
                x := 1; /* behind too */
                x := 2;

                // last
            } // closing

            /* several
               lines */
            thread U { /* only */
            }
            // end
        "#]],
    );
}

#[test]
fn comments_around_else_stay_in_the_block() {
    check(
        "var x: int = 0;\nthread T {\n  if x == 0 { x := 1; // one\n  } // between\n  /* and */ else { // two\n x := 2; }\n // end\n}\n",
        expect![[r#"
            var x: int = 0;
            thread T {
                if x == 0 {
                    x := 1; // one
                    // between
                    /* and */
                } else { // two
                    x := 2;
                }
                // end
            }
        "#]],
    );
}

#[test]
fn parentheses_and_numbers_stay() {
    check(
        "var x: int = 0; thread T { x := ((x) + 0xFF) * 1_000 - -1; assert !(x == 0 || x != 1); }",
        expect![[r#"
        var x: int = 0;
        thread T {
            x := ((x) + 0xFF) * 1_000 - -1;
            assert !(x == 0 || x != 1);
        }
    "#]],
    );
}

#[test]
fn long_lines_are_broken_at_the_outermost_operator() {
    check(
        "var first_variable, second_variable, third_variable: int = 0; thread T { await first_variable == second_variable || second_variable == third_variable && first_variable < 10 || third_variable > 0; }
         process p { entry -> exit: first_variable == second_variable; first_variable := third_variable + 1; second_variable := third_variable + 1; } start p;
         invariant first_variable >= 0 && second_variable >= 0 && third_variable >= 0 && first_variable + second_variable < 100;",
        expect![[r#"
            var first_variable, second_variable, third_variable: int = 0;
            thread T {
                await first_variable == second_variable
                    || second_variable == third_variable && first_variable < 10
                    || third_variable > 0;
            }
            process p {
                entry -> exit:
                    first_variable == second_variable;
                    first_variable := third_variable + 1;
                    second_variable := third_variable + 1;
            }
            start p;
            invariant first_variable >= 0
                && second_variable >= 0
                && third_variable >= 0
                && first_variable + second_variable < 100;
        "#]],
    );
}

#[test]
fn blank_lines_stay_but_not_at_the_edges() {
    check(
        "\n\nvar x: int = 0;\n\n\n\nvar y: int = 0;\nthread T {\n\n  x := 1;\n\n\n  y := 1;\n\n}\n\n\n",
        expect![[r#"
        var x: int = 0;

        var y: int = 0;
        thread T {
            x := 1;

            y := 1;
        }
    "#]],
    );
}

#[test]
fn formatting_generated_models_changes_nothing_but_the_looks() {
    let mut random = rely_base::Random::new(2014);
    let mut refused = 0;
    for _ in 0..300 {
        let text = model(&mut random);
        let formatted = format(&text);
        assert_eq!(format(&formatted), formatted, "{text}");
        let (sources, file) = source(&text);
        match rely_model_front::translate(&sources, file) {
            Ok(before) => assert_eq!(dump(&before), dump(&program(&formatted)), "{text}"),
            Err(_) => refused += 1,
        }
        let comments = |text: &str| text.matches("note").count() + text.matches("two").count();
        assert_eq!(comments(&text), comments(&formatted), "{text}");
    }
    assert!(refused < 30, "{refused} of the generated models are wrong");
}
