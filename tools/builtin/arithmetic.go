package builtin

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"
)

const (
	maxExpression = 1000  // bytes
	maxBits       = 16384 // of a numerator or denominator: about 4,900 digits
	maxDecimals   = 15
)

var (
	errTooBig = errors.New("the result is too big")
	errByZero = errors.New("division by zero")
)

// evaluate computes an expression in exact fractions, as far as its functions allow. A library parses it; only numbers,
// arithmetic and the functions below are evaluated.
func evaluate(expression string) (string, error) {
	if len(expression) > maxExpression {
		return "", fmt.Errorf("the expression is longer than %d bytes", maxExpression)
	}
	text := strings.NewReplacer("×", "*", "·", "*", "÷", "/", "−", "-").Replace(expression)
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "="))
	if text == "" {
		return "", errors.New("the expression is empty")
	}
	tree, err := parser.Parse(text)
	if err != nil {
		return "", fmt.Errorf("the expression %q cannot be read: %w", expression, err)
	}
	value, err := compute(tree.Node)
	if err != nil {
		return "", err
	}
	return decimal(value), nil
}

func compute(node ast.Node) (*big.Rat, error) {
	switch n := node.(type) {
	case *ast.IntegerNode:
		return new(big.Rat).SetInt64(int64(n.Value)), nil
	case *ast.FloatNode:
		return fromFloat(n.Value)
	case *ast.IdentifierNode:
		return constant(n.Value)
	case *ast.UnaryNode:
		return unary(n)
	case *ast.BinaryNode:
		return binary(n)
	case *ast.BuiltinNode:
		return call(n.Name, n.Arguments)
	case *ast.CallNode:
		if name, ok := n.Callee.(*ast.IdentifierNode); ok {
			return call(name.Value, n.Arguments)
		}
	}
	return nil, fmt.Errorf("%q is not arithmetic: use numbers, + - * / %% ** and %s", node.String(), functionNames())
}

func computeAll(nodes []ast.Node) (all []*big.Rat, err error) {
	all = make([]*big.Rat, len(nodes))
	for i, n := range nodes {
		if all[i], err = compute(n); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// fromFloat is the fraction of the shortest decimal notation: 0.1 is a tenth.
func fromFloat(f float64) (*big.Rat, error) {
	if math.Abs(f) > 1e300 {
		return nil, errTooBig
	}
	if f != 0 && math.Abs(f) < 1e-300 {
		return new(big.Rat), nil
	}
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	if !ok { // it is NaN
		return nil, errors.New("the result is not a number")
	}
	return r, nil
}

func constant(name string) (*big.Rat, error) {
	switch name {
	case "pi", "PI", "π":
		return fromFloat(math.Pi)
	case "e", "E":
		return fromFloat(math.E)
	}
	return nil, fmt.Errorf("%q is not known: only numbers, pi, e and %s", name, functionNames())
}

func unary(n *ast.UnaryNode) (*big.Rat, error) {
	x, err := compute(n.Node)
	if err != nil {
		return nil, err
	}
	switch n.Operator {
	case "-":
		return x.Neg(x), nil
	case "+":
		return x, nil
	}
	return nil, fmt.Errorf("the operator %q is not arithmetic", n.Operator)
}

func binary(n *ast.BinaryNode) (*big.Rat, error) {
	both, err := computeAll([]ast.Node{n.Left, n.Right})
	if err != nil {
		return nil, err
	}
	x, y := both[0], both[1]
	switch n.Operator {
	case "+":
		return bounded(x.Add(x, y))
	case "-":
		return bounded(x.Sub(x, y))
	case "*":
		return bounded(x.Mul(x, y))
	case "/":
		if y.Sign() == 0 {
			return nil, errByZero
		}
		return bounded(x.Quo(x, y))
	case "%":
		return modulo(x, y)
	case "**", "^":
		return power(x, y)
	}
	return nil, fmt.Errorf("the operator %q is not arithmetic", n.Operator)
}

func bounded(x *big.Rat) (*big.Rat, error) {
	if x.Num().BitLen() > maxBits || x.Denom().BitLen() > maxBits {
		return nil, errTooBig
	}
	return x, nil
}

// modulo has the sign of the divisor, as in mathematics.
func modulo(x, y *big.Rat) (*big.Rat, error) {
	if y.Sign() == 0 {
		return nil, errByZero
	}
	q := floor(new(big.Rat).Quo(x, y))
	return bounded(new(big.Rat).Sub(x, q.Mul(q, y)))
}

func floor(x *big.Rat) *big.Rat {
	// Div rounds down for a positive divisor, and a denominator is positive.
	return new(big.Rat).SetInt(new(big.Int).Div(x.Num(), x.Denom()))
}

func power(x, y *big.Rat) (*big.Rat, error) {
	if !y.IsInt() {
		a, _ := x.Float64()
		b, _ := y.Float64()
		return fromFloat(math.Pow(a, b))
	}
	if x.Sign() == 0 && y.Sign() < 0 {
		return nil, errByZero
	}
	bits := max(x.Num().BitLen(), x.Denom().BitLen()) // 1 for 0, 1 and -1
	e := new(big.Int).Abs(y.Num())
	if !y.Num().IsInt64() || bits > 1 && e.Cmp(big.NewInt(int64(maxBits/(bits-1)))) > 0 {
		return nil, errTooBig
	}
	r := new(big.Rat).SetFrac(new(big.Int).Exp(x.Num(), e, nil), new(big.Int).Exp(x.Denom(), e, nil))
	if y.Sign() < 0 {
		r.Inv(r)
	}
	return bounded(r)
}

// functions are what an expression may call; each with the least and the most arguments it takes.
var functions = map[string]struct {
	least, most int
	do          func([]*big.Rat) (*big.Rat, error)
}{
	"abs":   {1, 1, func(a []*big.Rat) (*big.Rat, error) { return a[0].Abs(a[0]), nil }},
	"floor": {1, 1, func(a []*big.Rat) (*big.Rat, error) { return floor(a[0]), nil }},
	"ceil": {1, 1, func(a []*big.Rat) (*big.Rat, error) {
		return new(big.Rat).Neg(floor(a[0].Neg(a[0]))), nil
	}},
	"round": {1, 2, round},
	"min":   {1, 100, func(a []*big.Rat) (*big.Rat, error) { return slices.MinFunc(a, (*big.Rat).Cmp), nil }},
	"max":   {1, 100, func(a []*big.Rat) (*big.Rat, error) { return slices.MaxFunc(a, (*big.Rat).Cmp), nil }},
	"pow":   {2, 2, ofTwo(power)},
	"mod":   {2, 2, ofTwo(modulo)},
	"sqrt":  {1, 1, squareRoot},
	"exp":   {1, 1, float(math.Exp)},
	"log":   {1, 1, float(math.Log)},
	"ln":    {1, 1, float(math.Log)},
	"log10": {1, 1, float(math.Log10)},
	"log2":  {1, 1, float(math.Log2)},
	"sin":   {1, 1, float(math.Sin)},
	"cos":   {1, 1, float(math.Cos)},
	"tan":   {1, 1, float(math.Tan)},
}

func functionNames() string { return strings.Join(slices.Sorted(maps.Keys(functions)), ", ") }

func call(name string, nodes []ast.Node) (*big.Rat, error) {
	f, ok := functions[name]
	if !ok {
		return nil, fmt.Errorf("the function %q is not known: only %s", name, functionNames())
	}
	if len(nodes) < f.least || len(nodes) > f.most {
		return nil, fmt.Errorf("%s takes %d to %d arguments, not %d", name, f.least, f.most, len(nodes))
	}
	args, err := computeAll(nodes)
	if err != nil {
		return nil, err
	}
	return f.do(args)
}

func ofTwo(f func(x, y *big.Rat) (*big.Rat, error)) func([]*big.Rat) (*big.Rat, error) {
	return func(a []*big.Rat) (*big.Rat, error) { return f(a[0], a[1]) }
}

func float(f func(float64) float64) func([]*big.Rat) (*big.Rat, error) {
	return func(a []*big.Rat) (*big.Rat, error) {
		x, _ := a[0].Float64()
		return fromFloat(f(x))
	}
}

// squareRoot is exact where the root is a fraction.
func squareRoot(a []*big.Rat) (*big.Rat, error) {
	x := a[0]
	if x.Sign() < 0 {
		return nil, errors.New("a negative number has no real square root")
	}
	n, d := new(big.Int).Sqrt(x.Num()), new(big.Int).Sqrt(x.Denom())
	exact := new(big.Rat).SetFrac(n, d)
	if new(big.Rat).Mul(exact, exact).Cmp(x) == 0 {
		return exact, nil
	}
	f := new(big.Float).SetPrec(256).SetRat(x)
	r, _ := f.Sqrt(f).Rat(nil)
	return r, nil
}

// round rounds halves away from zero, to a number of decimals.
func round(a []*big.Rat) (*big.Rat, error) {
	decimals := new(big.Rat)
	if len(a) == 2 {
		decimals = a[1]
	}
	if !decimals.IsInt() || new(big.Rat).Abs(decimals).Cmp(big.NewRat(100, 1)) > 0 {
		return nil, errors.New("round takes a whole number of decimals up to 100")
	}
	scale, err := power(big.NewRat(10, 1), decimals)
	if err != nil {
		return nil, err
	}
	x := new(big.Rat).Mul(a[0], scale)
	half := big.NewRat(1, 2)
	if x.Sign() < 0 {
		x.Neg(floor(x.Neg(x).Add(x, half)))
	} else {
		x = floor(x.Add(x, half))
	}
	return bounded(x.Quo(x, scale))
}

// decimal writes a number: whole numbers and short decimals exactly, others with some 15 digits.
func decimal(x *big.Rat) string {
	if x.IsInt() {
		return x.Num().String()
	}
	if places, exact := x.FloatPrec(); exact && places <= 2*maxDecimals {
		return x.FloatString(places)
	}
	f, _ := x.Float64()
	if f == 0 || math.IsInf(f, 0) {
		return new(big.Float).SetRat(x).Text('g', maxDecimals)
	}
	return strconv.FormatFloat(f, 'g', maxDecimals, 64)
}
