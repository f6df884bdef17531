//! Plots as SVG: how many tasks are decided within which time, one tool against another, and how
//! time grows with size. Time is logarithmic.

use super::summary::{Cell, Grade, Row};
use rely_report::escape_html;
use std::fmt::Write;

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 60.0;
const BOTTOM: f64 = 46.0;
const TOP: f64 = 16.0;
const RIGHT: f64 = 16.0;
/// Colours that can be told apart by people who see colours differently.
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

/// Points that belong together.
struct Series {
    name: String,
    points: Vec<(f64, f64)>,
    is_line: bool,
}

/// How an axis maps values to the picture.
#[derive(Clone, Copy)]
struct Axis {
    low: f64,
    high: f64,
    is_logarithmic: bool,
}

impl Axis {
    /// From the greatest power of ten below the values to the least above.
    fn logarithmic(values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = bounds(values.filter(|value| *value > 0.0)).unwrap_or((0.01, 1.0));
        Self {
            low: low.log10().floor(),
            high: high.log10().ceil().max(low.log10().floor() + 1.0),
            is_logarithmic: true,
        }
    }

    fn linear(values: impl Iterator<Item = f64>) -> Self {
        let (_, high) = bounds(values).unwrap_or((0.0, 1.0));
        Self { low: 0.0, high: high.max(1.0), is_logarithmic: false }
    }

    /// Between 0 and 1.
    fn place(self, value: f64) -> f64 {
        let value = if self.is_logarithmic { value.max(1e-9).log10() } else { value };
        (value - self.low) / (self.high - self.low)
    }

    /// Where to write numbers, and which.
    fn ticks(self) -> Vec<(f64, String)> {
        if self.is_logarithmic {
            let exponents = self.low as i32..=self.high as i32;
            return exponents.map(|exponent| (10f64.powi(exponent), power(exponent))).collect();
        }
        let step = round_step(self.high / 6.0);
        let places = (0..).map(|number| f64::from(number) * step).take_while(|at| *at <= self.high);
        places.map(|at| (at, format!("{at}"))).collect()
    }
}

/// The least of 1, 2, 5, 10, 20, ... that is not smaller.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.max(1.0).log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|step| *step >= least)
        .unwrap_or(power)
}

fn power(exponent: i32) -> String {
    match exponent {
        0.. => format!("{}", 10f64.powi(exponent)),
        _ => format!("{:.*}", exponent.unsigned_abs() as usize, 10f64.powi(exponent)),
    }
}

fn bounds(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |bounds, value| match bounds {
        None => Some((value, value)),
        Some((low, high)) => Some((f64::min(low, value), f64::max(high, value))),
    })
}

fn right_cells<'a>(rows: &'a [Row], tool: &'a str) -> impl Iterator<Item = (&'a Row, &'a Cell)> {
    let cells = rows.iter().flat_map(|row| row.cells.iter().map(move |cell| (row, cell)));
    cells.filter(move |(_, cell)| cell.tool == tool && cell.grade == Grade::Right)
}

/// How many tasks each tool decides rightly within which time, and how many the papers' tools.
pub fn quantile(rows: &[Row], tools: &[String]) -> String {
    let sorted = |mut seconds: Vec<f64>| {
        seconds.sort_unstable_by(f64::total_cmp);
        seconds.into_iter().enumerate().map(|(number, seconds)| ((number + 1) as f64, seconds)).collect()
    };
    let mut series: Vec<Series> = Vec::new();
    for tool in tools {
        let ours = right_cells(rows, tool).map(|(_, cell)| cell.seconds).collect();
        series.push(Series { name: tool.clone(), points: sorted(ours), is_line: true });
        let sides: Vec<_> = right_cells(rows, tool).filter_map(|(_, cell)| cell.paper.as_ref()).collect();
        let theirs: Vec<f64> =
            sides.iter().filter(|side| !side.timed_out).filter_map(|side| side.seconds).collect();
        if let Some(name) =
            sides.first().map(|side| format!("paper: {}", side.against)).filter(|_| !theirs.is_empty())
        {
            series.push(Series { name, points: sorted(theirs), is_line: true });
        }
    }
    draw(&series, Axis::linear, "tasks decided rightly", "seconds for each", false)
}

/// One tool against another, over the tasks that both decide.
pub fn scatter(rows: &[Row], first: &str, second: &str) -> Option<String> {
    let points: Vec<(f64, f64)> = right_cells(rows, first)
        .filter_map(|(row, cell)| {
            let other = row.cells.iter().find(|cell| cell.tool == second && cell.grade == Grade::Right)?;
            Some((cell.seconds, other.seconds))
        })
        .collect();
    let series = [Series { name: "tasks".to_owned(), points, is_line: false }];
    (!series[0].points.is_empty())
        .then(|| draw(&series, Axis::logarithmic, &format!("{first} (s)"), &format!("{second} (s)"), true))
}

/// A tool against what it is compared with in the papers.
pub fn scatter_paper(rows: &[Row], tool: &str) -> Option<String> {
    let sides =
        right_cells(rows, tool).filter_map(|(_, cell)| Some((cell.paper.as_ref()?.seconds?, cell.seconds)));
    let series = [Series { name: "tasks".to_owned(), points: sides.collect(), is_line: false }];
    (!series[0].points.is_empty())
        .then(|| draw(&series, Axis::logarithmic, "paper (s)", &format!("{tool} (s)"), true))
}

/// How time grows with the size of the members of a family.
pub fn growth(rows: &[Row], tools: &[String]) -> Option<String> {
    growth_of(rows, tools, "seconds", |cell| Some(cell.seconds))
}

/// How a count grows with the size of the members of a family.
pub fn growth_of_count(rows: &[Row], tools: &[String], count: &str) -> Option<String> {
    growth_of(rows, tools, count, |cell| cell.counts.get(count).map(|&number| number as f64))
}

fn growth_of(
    rows: &[Row],
    tools: &[String],
    what: &str,
    value: impl Fn(&Cell) -> Option<f64>,
) -> Option<String> {
    let series: Vec<Series> = tools
        .iter()
        .map(|tool| {
            let points =
                right_cells(rows, tool).filter_map(|(row, cell)| Some((row.size? as f64, value(cell)?)));
            Series { name: tool.clone(), points: points.collect(), is_line: true }
        })
        .filter(|series| !series.points.is_empty())
        .collect();
    let sizes: Vec<f64> =
        series.iter().flat_map(|series| series.points.iter().map(|point| point.0)).collect();
    let (low, high) = bounds(sizes.into_iter())?;
    let axis = if high > 50.0 * low.max(1.0) { Axis::logarithmic } else { Axis::linear };
    Some(draw(&series, axis, "size", what, false))
}

/// The picture. `has_diagonal` draws the line on which both are the same.
fn draw(
    series: &[Series],
    x_axis: fn(std::vec::IntoIter<f64>) -> Axis,
    x_title: &str,
    y_title: &str,
    has_diagonal: bool,
) -> String {
    let values = |side: fn(&(f64, f64)) -> f64| {
        let all: Vec<f64> = series.iter().flat_map(|series| series.points.iter().map(side)).collect();
        all.into_iter()
    };
    let (x, y) = (x_axis(values(|point| point.0)), Axis::logarithmic(values(|point| point.1)));
    let label = escape_html(&format!("{y_title} over {x_title}"));
    let svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{label}\" xmlns=\"http://www.w3.org/2000/svg\">\n"
    );
    let mut picture = Picture { svg, x, y };
    picture.add_grid();
    if has_diagonal {
        picture.add_diagonal();
    }
    for (number, series) in series.iter().enumerate() {
        picture.add_series(number, series);
    }
    picture.add_titles(x_title, y_title);
    picture.svg.push_str("</svg>\n");
    picture.svg
}

/// A picture that is being drawn, from the back to the front.
struct Picture {
    svg: String,
    x: Axis,
    y: Axis,
}

impl Picture {
    fn add(&mut self, text: &str) {
        writeln!(self.svg, "{text}").expect("a string takes everything");
    }

    fn place_x(&self, value: f64) -> f64 {
        LEFT + self.x.place(value) * (WIDTH - LEFT - RIGHT)
    }

    fn place_y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - self.y.place(value) * (HEIGHT - BOTTOM - TOP)
    }

    /// Lines with their values at both axes.
    fn add_grid(&mut self) {
        for (value, label) in self.x.ticks() {
            let (at, bottom) = (self.place_x(value), HEIGHT - BOTTOM);
            self.add(&format!(
                "<line class=\"grid\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{bottom}\"/>"
            ));
            let below = bottom + 16.0;
            self.add(&format!("<text x=\"{at:.1}\" y=\"{below}\" text-anchor=\"middle\">{label}</text>"));
        }
        for (value, label) in self.y.ticks() {
            let (at, right) = (self.place_y(value), WIDTH - RIGHT);
            self.add(&format!(
                "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>"
            ));
            let (beside, at) = (LEFT - 6.0, at + 4.0);
            self.add(&format!("<text x=\"{beside}\" y=\"{at:.1}\" text-anchor=\"end\">{label}</text>"));
        }
    }

    /// The line on which both axes have the same value.
    fn add_diagonal(&mut self) {
        let low = 10f64.powf(self.x.low.max(self.y.low));
        let high = 10f64.powf(self.x.high.min(self.y.high));
        let (x1, y1, x2, y2) = (self.place_x(low), self.place_y(low), self.place_x(high), self.place_y(high));
        self.add(&format!(
            "<line class=\"same\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
        ));
    }

    /// The points of a series; a line through them and a legend if it is one.
    fn add_series(&mut self, number: usize, series: &Series) {
        let colour = COLOURS[number % COLOURS.len()];
        let place = |&(x, y): &(f64, f64)| (self.place_x(x), self.place_y(y));
        let points: Vec<(f64, f64)> = series.points.iter().map(place).collect();
        if series.is_line {
            let line: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            let line = line.join(" ");
            self.add(&format!(
                "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" points=\"{line}\"/>"
            ));
            let at = TOP + 14.0 + 16.0 * number as f64;
            let (dot, above, beside) = (LEFT + 12.0, at - 4.0, LEFT + 22.0);
            self.add(&format!("<circle cx=\"{dot}\" cy=\"{above}\" r=\"4\" fill=\"{colour}\"/>"));
            let name = escape_html(&series.name);
            self.add(&format!("<text x=\"{beside}\" y=\"{at}\">{name}</text>"));
        }
        for (x, y) in points {
            self.add(&format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>"));
        }
    }

    fn add_titles(&mut self, x_title: &str, y_title: &str) {
        let (middle, bottom, title) = ((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 8.0, escape_html(x_title));
        self.add(&format!("<text x=\"{middle}\" y=\"{bottom}\" text-anchor=\"middle\">{title}</text>"));
        let (middle, title) = ((TOP + HEIGHT - BOTTOM) / 2.0, escape_html(y_title));
        self.add(&format!(
            "<text transform=\"translate(14 {middle}) rotate(-90)\" text-anchor=\"middle\">{title}</text>"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithmic_axes_end_at_powers_of_ten() {
        let axis = Axis::logarithmic([0.02, 3.0].into_iter());
        let labels: Vec<String> = axis.ticks().into_iter().map(|(_, label)| label).collect();
        assert_eq!(labels, ["0.01", "0.1", "1", "10"]);
        assert_eq!(axis.place(0.01), 0.0);
        assert_eq!(axis.place(10.0), 1.0);
        // One value, or none, still has an axis.
        assert!(Axis::logarithmic([1.0].into_iter()).high > Axis::logarithmic([1.0].into_iter()).low);
        assert_eq!(Axis::logarithmic(std::iter::empty()).ticks().len(), 3);
    }

    #[test]
    fn steps_are_round_numbers() {
        assert_eq!([0.5, 1.0, 1.5, 3.0, 8.5, 12.0].map(round_step), [1.0, 1.0, 2.0, 5.0, 10.0, 20.0]);
    }
}
