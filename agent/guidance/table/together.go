package table

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Together says what is true of all rows: of a column of numbers the lowest, the highest and the sum, of a column of
// dates the first and the last, and of one with few different values how many rows have each. A column of which nothing
// can be said for certain is left out, and all of them are if a row is the total of others.
func (t Table) Together() string {
	if slices.ContainsFunc(t.rows, isTotal) {
		return ""
	}
	var out strings.Builder
	for i, column := range t.columns {
		if says := t.together(i); says != "" {
			fmt.Fprintf(&out, "%s: %s\n", column, says)
		}
	}
	return out.String()
}

func (t Table) together(column int) string {
	values := make([]string, len(t.rows))
	for i, row := range t.rows {
		values[i] = strings.TrimSpace(row[column])
	}
	if column > 0 && !namesThings(t.columns[column]) { // the first column names the rows
		if numbers, ok := numbersOf(values); ok {
			text := t.ends("lowest", "highest", values, func(a, b int) int { return numbers[a].Cmp(numbers[b]) })
			if !areYears(values) {
				text += ", sum " + sum(values, numbers)
			}
			return text
		}
	}
	if !slices.ContainsFunc(values, func(v string) bool { return !isDate(v) }) {
		return t.ends("first", "last", values, func(a, b int) int { return strings.Compare(values[a], values[b]) })
	}
	return kinds(values)
}

// ends are the first and the last of the values in an order, under the words for them, each with the row it is in.
func (t Table) ends(first, last string, values []string, by func(a, b int) int) string {
	least, most := 0, 0 // the rows
	leasts, mosts := 0, 0
	for i := range values {
		low, high := by(i, least), by(i, most)
		if low < 0 {
			least, leasts = i, 0
		}
		if high > 0 {
			most, mosts = i, 0
		}
		if low <= 0 {
			leasts++
		}
		if high >= 0 {
			mosts++
		}
	}
	of := func(at, same int) string {
		if same > 1 {
			return fmt.Sprintf("%s (%d rows, the first is %s)", values[at], same, t.row(at))
		}
		return fmt.Sprintf("%s (%s)", values[at], t.row(at))
	}
	return first + " " + of(least, leasts) + ", " + last + " " + of(most, mosts)
}

// row names a row by its first value, and by the second if that is a word.
func (t Table) row(at int) string {
	name := t.columns[0] + " " + short(t.rows[at][0])
	if second := t.rows[at][1]; !isDate(second) {
		if _, isNumber := number(second); !isNumber && second != "" {
			name += ", " + t.columns[1] + " " + short(second)
		}
	}
	return name
}

func short(value string) string {
	if value = strings.Join(strings.Fields(value), " "); len(value) > maxValue {
		return strings.ToValidUTF8(value[:maxValue], "") + "…"
	}
	return quoteIfListed(value)
}

// kinds says how many rows have each of the values, if some have the same and there are few different ones.
func kinds(values []string) string {
	count := map[string]int{}
	var order []string
	for _, v := range values {
		if count[v]++; count[v] == 1 {
			order = append(order, v)
		}
	}
	if len(order) > maxKinds || len(order) == len(values) ||
		slices.ContainsFunc(order, func(v string) bool { return v == "" || len(v) > maxValue }) {
		return ""
	}
	slices.SortStableFunc(order, func(a, b string) int { return count[b] - count[a] })
	for i, v := range order {
		rows := "rows"
		if count[v] == 1 {
			rows = "row"
		}
		order[i] = fmt.Sprintf("%s in %d %s", short(v), count[v], rows)
	}
	return strings.Join(order, ", ")
}

// totals begin or end the name of a row that is made of others.
var totals = []string{
	"total", "totals", "subtotal", "sum", "summe", "somme", "suma", "gesamt", "totaal", "average", "mean",
}

// isTotal reports whether a row is made of others, by a value of at most three words.
func isTotal(row []string) bool {
	return slices.ContainsFunc(row, func(value string) bool {
		words := wordsOf(value)
		return 0 < len(words) && len(words) <= 3 &&
			(slices.Contains(totals, words[0]) || slices.Contains(totals, words[len(words)-1]))
	})
}

// namesThings reports whether a column has by its name no amounts, whatever its values look like.
func namesThings(column string) bool {
	return slices.ContainsFunc(wordsOf(column), func(word string) bool {
		return slices.Contains(
			[]string{
				"id", "code", "zip", "postcode", "plz", "phone", "fax", "version", "release", "isbn", "ean", "sku",
			},
			word,
		)
	})
}

// wordsOf are the words of a name, in lower case: of "zipCode" and "zip_code" two.
func wordsOf(name string) []string {
	var spaced strings.Builder
	lower := false
	for _, r := range name {
		if !unicode.IsLetter(r) || lower && unicode.IsUpper(r) {
			spaced.WriteByte(' ')
		}
		if unicode.IsLetter(r) {
			spaced.WriteRune(r)
		}
		lower = unicode.IsLower(r)
	}
	return strings.Fields(strings.ToLower(spaced.String()))
}
