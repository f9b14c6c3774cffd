package sqltest

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// row is one row of a table, its values in the order of the columns: int, string, bool, a number with cents as string,
// or nil.
type row struct {
	table  string
	values []any
}

// content collects the rows of the company.
type content struct {
	random *rand.Rand
	rows   []row
}

// rows are the same each time. Every table that a question may be about has some; the others have none.
func rows() []row {
	c := &content{random: rand.New(rand.NewPCG(1, 2))} //nolint:gosec // the same rows each time
	c.people()
	c.goods()
	c.orders()
	c.support()
	return c.rows
}

func (c *content) add(table string, values ...any) { c.rows = append(c.rows, row{table, values}) }

// day is a date so many days after the first of 2026.
func day(n int) string { return time.Date(2026, 1, 1+n, 0, 0, 0, 0, time.UTC).Format(time.DateOnly) }

func cents(n int) string { return fmt.Sprintf("%d.%02d", n/100, n%100) }

// one is one of a list.
func one[T any](c *content, list ...T) T { return list[c.random.IntN(len(list))] }

func (c *content) people() {
	for i, name := range []string{"Sales", "Purchasing", "Warehouse", "Support", "Finance"} {
		c.add("departments", i+1, name, cents(20_000_000+i*5_500_000), i*4+1)
	}
	names := []string{
		"Ada Brook", "Ben Castle", "Cleo Dunn", "Dan Ember", "Eva Frost", "Finn Grove", "Gina Hill", "Hugo Iron",
		"Ida Jolly", "Jon Keen",
		"Kim Lake", "Leo Marsh", "Mia North", "Ned Oak", "Ola Pine", "Pia Quill", "Ron Reed", "Sue Stone", "Tom Udell",
		"Una Vale",
	}
	for i, name := range names {
		title := []string{"Head", "Clerk", "Clerk", "Assistant"}[i%4]
		c.add("employees", i+1, name, i/4+1, title, day(-400-97*i), cents(280_000+c.random.IntN(400)*1000), i/4*4+1)
	}
	for i := range 30 {
		from := c.random.IntN(280)
		c.add(
			"absences", i+1, 1+c.random.IntN(20), day(from), day(from+1+c.random.IntN(9)),
			one(c, "holiday", "holiday", "illness", "training"),
		)
	}
	firms := []string{
		"Alder & Sons", "Birch Ltd", "Cedar Foods", "Dogwood GmbH", "Elm Trading", "Fir Logistics", "Gingko AG",
		"Hazel House", "Ivy Works", "Juniper SARL", "Kapok BV",
		"Larch Kitchens", "Maple Hotels", "Nutmeg Oy", "Olive Bros", "Poplar Inc", "Quince Studio", "Rowan Mills",
		"Spruce SpA", "Tamarind Co", "Upas Group", "Vine Bistro", "Willow AB", "Yew Partners",
	}
	for i, firm := range firms {
		country := one(c, "Germany", "France", "Italy", "Sweden", "Spain")
		c.add("customers", i+1, firm, one(
			c, "Lyon", "Berlin", "Milan", "Malmo", "Bilbao", "Graz",
		), country, one(c, "retail", "hotel", "factory"), day(-30-41*i),
			cents(100_000*(1+c.random.IntN(90))), 1+c.random.IntN(4))
		c.add(
			"customer_contacts", i+1, i+1, "Contact of "+firm, fmt.Sprintf("office%d@example.org", i+1),
			fmt.Sprintf("+49 30 %06d", 1000*i+17), true,
		)
	}
}

func (c *content) goods() {
	for i, name := range []string{"Tea", "Coffee", "Spices", "Dishes", "Glass", "Linen"} {
		c.add("product_categories", i+1, name, nil)
	}
	for i, name := range []string{
		"Amber Imports", "Basalt Trade", "Copper Line", "Dune Supply", "Echo Farms", "Flint Direct", "Garnet Ltd",
		"Harbor Goods",
	} {
		c.add(
			"suppliers", i+1, name, one(c, "India", "Kenya", "Portugal", "Vietnam"), 1+c.random.IntN(5),
			5+c.random.IntN(40),
		)
	}
	for i, city := range []string{"Hamburg", "Lyon", "Turin"} {
		c.add("warehouses", i+1, city+" depot", city, 4000+i*2500)
	}
	kinds := []string{
		"Green tea", "Black tea", "Espresso beans", "Cinnamon", "Dinner plate", "Wine glass", "Table cloth", "Saffron",
	}
	categories := []int{1, 1, 2, 3, 4, 5, 6, 3}
	for i := range 40 {
		kind := i % len(kinds)
		c.add("products", i+1, fmt.Sprintf("SKU-%04d", 1000+7*i), fmt.Sprintf(
			"%s no. %d", kinds[kind], i/len(kinds)+1,
		), categories[kind], 1+c.random.IntN(8),
			cents(300+c.random.IntN(9000)), i%11 == 10)
		for w := range 3 {
			c.add("stock_levels", w+1, i+1, c.random.IntN(300), 20+c.random.IntN(60))
		}
	}
	for i := range 50 {
		c.add(
			"product_reviews", i+1, 1+c.random.IntN(40), 1+c.random.IntN(24), 1+c.random.IntN(5),
			day(c.random.IntN(300)), one(c, "Good.", "Broken on arrival.", "As expected."),
		)
	}
}

func (c *content) orders() {
	line, shipment, payment := 0, 0, 0
	for i := range 160 {
		id, ordered := i+1, c.random.IntN(300)
		// Few customers order much, so that there is one who orders most.
		customer := min(1+c.random.IntN(24), 1+c.random.IntN(24))
		status := one(c, "delivered", "delivered", "delivered", "open", "cancelled")
		warehouse, total := 1+c.random.IntN(3), 0
		c.add("orders", id, customer, day(ordered), status, warehouse, 1+c.random.IntN(4), one(c, 0, 0, 5, 10))
		for range 1 + c.random.IntN(4) {
			line++
			quantity, price := 1+c.random.IntN(30), 300+c.random.IntN(9000)
			total += quantity * price
			c.add("order_lines", line, id, 1+c.random.IntN(40), quantity, cents(price))
			if line%29 == 0 {
				c.add("order_returns", line/29, line, 1, one(c, "broken", "wrong article"), day(ordered+20))
			}
		}
		if status == "cancelled" {
			continue
		}
		paid := status == "delivered" && c.random.IntN(4) > 0
		c.add("invoices", id, id, day(ordered+3), day(ordered+33), cents(total), paid)
		if paid {
			payment++
			c.add("payments", payment, id, day(ordered+10+c.random.IntN(30)), cents(total), one(c, "transfer", "card"))
		}
		if status == "delivered" {
			shipment++
			c.add(
				"shipments", shipment, id, 1+c.random.IntN(3), day(ordered+2), day(ordered+3+c.random.IntN(12)),
				2+c.random.IntN(80),
			)
		}
	}
	for i, name := range []string{"Swift Parcel", "Blue Van", "Night Post"} {
		c.add("carriers", i+1, name, cents(90+35*i))
	}
}

func (c *content) support() {
	for i := range 60 {
		opened := c.random.IntN(300)
		var closed any
		if c.random.IntN(3) > 0 {
			closed = day(opened + c.random.IntN(20))
		}
		c.add("tickets", i+1, 1+c.random.IntN(24), day(opened), closed, one(c, "low", "normal", "normal", "high"),
			one(
				c, "Where is my parcel?", "The invoice is wrong", "A plate is broken", "Change of address",
			), 13+c.random.IntN(4))
	}
	for i, name := range []string{"Spring letters", "Tea week", "Hotel fair", "Summer search"} {
		c.add(
			"campaigns", i+1, name, one(c, "mail", "fair", "web"), day(40*i), day(40*i+30),
			cents(100_000+c.random.IntN(900)*1000),
		)
	}
	for i := range 18 {
		c.add(
			"expense_claims", i+1, 1+c.random.IntN(20), day(c.random.IntN(300)), cents(1000+c.random.IntN(40_000)),
			i%3 > 0,
		)
	}
	for i := range 8 {
		c.add("vehicles", i+1, fmt.Sprintf("HH-AS %d", 100+i), 1+i%3, day(-900+60*i))
		c.add("vehicle_repairs", i+1, 1+c.random.IntN(8), day(c.random.IntN(300)), cents(10_000+c.random.IntN(90_000)))
	}
}
