package main

import (
	"cmp"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"text/template"
	"time"

	"github.com/Masterminds/sprig/v3"
)

// world is what templates see of the world outside the chart, fixed: the clock, chance, the cluster. Equal
// seeds give equal worlds. It notes who asked for what.
type world struct {
	now      time.Time
	source   *rand.ChaCha8
	random   *rand.Rand
	cluster  cluster
	running  string // the template that is rendered, which is not always the one whose text asks
	volatile map[Volatile]bool
	asked    map[Lookup]bool
	lookups  []Lookup
	sees     map[sight]bool
	failedBy ErrorKind // which of `required` and `fail` ended the render
}

func newWorld(seed int, objects cluster) *world {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], uint64(seed))
	source := rand.NewChaCha8(key)
	return &world{
		// Seeds are a day, an hour, a minute and a second apart: every part of a date differs.
		now:      time.Date(2025, time.January, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(seed) * 90061 * time.Second),
		source:   source,
		random:   rand.New(source),
		cluster:  objects,
		volatile: map[Volatile]bool{},
		asked:    map[Lookup]bool{},
		sees:     map[sight]bool{},
	}
}

func (w *world) note(function string) { w.volatile[Volatile{w.running, function}] = true }

func (w *world) uses() []Volatile {
	return slices.SortedFunc(maps.Keys(w.volatile), func(a, b Volatile) int {
		return cmp.Or(cmp.Compare(a.Template, b.Template), cmp.Compare(a.Function, b.Function))
	})
}

const (
	digits  = "0123456789"
	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// The functions of sprig that we wrap, made once: Helm makes its own for every render.
var sprigFunctions = sync.OnceValue(sprig.TxtFuncMap)

// functions replace those of Helm that depend on the world; each has the signature of the one it replaces.
func (w *world) functions() template.FuncMap {
	functions := template.FuncMap{
		"lookup":   w.lookup,
		"required": w.required,
		"fail":     w.fail,
		markSight:  w.see,
		// Sprig's order is random; sorted is one of the orders it could have given.
		"keys":   sortedKeys,
		"values": sortedValues,

		"now":           func() time.Time { w.note("now"); return w.now },
		"ago":           w.ago,
		"durationRound": w.durationRound,
		"htmlDate":      func(date any) string { return w.date("htmlDate", "2006-01-02", date, "Local") },
		"htmlDateInZone": func(date any, zone string) string {
			return w.date("htmlDateInZone", "2006-01-02", date, zone)
		},
		"date": func(format string, date any) string { return w.date("date", format, date, "Local") },
		"dateInZone": func(format string, date any, zone string) string {
			return w.date("dateInZone", format, date, zone)
		},
		"date_in_zone": func(format string, date any, zone string) string {
			return w.date("date_in_zone", format, date, zone)
		},

		"randAlphaNum": func(count int) string { return w.characters("randAlphaNum", count, letters+digits) },
		"randAlpha":    func(count int) string { return w.characters("randAlpha", count, letters) },
		"randNumeric":  func(count int) string { return w.characters("randNumeric", count, digits) },
		"randAscii":    func(count int) string { return w.characters("randAscii", count, ascii()) },
		"randBytes": func(count int) (string, error) {
			w.note("randBytes")
			return base64.StdEncoding.EncodeToString(w.bytes(count)), nil
		},
		"randInt": func(least, below int) int { w.note("randInt"); return w.random.IntN(below-least) + least },
		"shuffle": w.shuffle,
		"uuidv4":  w.uuid,
		"bcrypt":  func(string) string { w.note("bcrypt"); return w.bcrypt() },
		"htpasswd": func(user, _ string) string {
			if strings.Contains(user, ":") {
				return fmt.Sprintf("invalid username: %s", user)
			}
			w.note("htpasswd")
			return user + ":" + w.bcrypt()
		},
		"encryptAES": w.encryptAES,
	}
	maps.Copy(functions, w.certificateFunctions())
	return functions
}

func (w *world) lookup(apiVersion, kind, namespace, name string) (map[string]any, error) {
	answer, found := w.cluster.lookup(apiVersion, kind, namespace, name)
	question := Lookup{Template: w.running, APIVersion: apiVersion, Kind: kind, Namespace: namespace, Name: name, Found: found}
	if !w.asked[question] {
		w.asked[question] = true
		w.lookups = append(w.lookups, question)
	}
	return answer, nil
}

// failWith wraps a message as Helm's engine does, which unwraps it again; so Helm's words stay.
func failWith(message string) error { return errors.New("HELM_ERR_START" + message + "HELM_ERR_END") }

func (w *world) required(message string, value any) (any, error) {
	if text, ok := value.(string); value == nil || ok && text == "" {
		w.failedBy = ErrRequired
		return value, failWith(message)
	}
	return value, nil
}

func (w *world) fail(message string) (string, error) {
	w.failedBy = ErrFail
	return "", failWith(message)
}

func sortedKeys(dicts ...map[string]any) []string {
	keys := []string{}
	for _, dict := range dicts {
		keys = append(keys, slices.Sorted(maps.Keys(dict))...)
	}
	return keys
}

func sortedValues(dict map[string]any) []any {
	values := []any{}
	for _, key := range slices.Sorted(maps.Keys(dict)) {
		values = append(values, dict[key])
	}
	return values
}

// date formats what is a date; for anything else sprig takes the present.
func (w *world) date(function, format string, date any, zone string) string {
	switch date.(type) {
	case time.Time, *time.Time, int, int32, int64:
	default:
		w.note(function)
		date = w.now
	}
	return sprigFunctions()["dateInZone"].(func(string, any, string) string)(format, date, zone)
}

func (w *world) ago(date any) string {
	w.note("ago")
	then := w.now
	switch date := date.(type) {
	case time.Time:
		then = date
	case int64:
		then = time.Unix(date, 0)
	case int:
		then = time.Unix(int64(date), 0)
	}
	return w.now.Sub(then).Round(time.Second).String()
}

func (w *world) durationRound(duration any) string {
	if then, ok := duration.(time.Time); ok {
		w.note("durationRound")
		duration = int64(w.now.Sub(then))
	}
	return sprigFunctions()["durationRound"].(func(any) string)(duration)
}

func (w *world) bytes(count int) []byte {
	bytes := make([]byte, count)
	w.source.Read(bytes)
	return bytes
}

func (w *world) characters(function string, count int, of string) string {
	w.note(function)
	return w.pick(count, of)
}

func (w *world) pick(count int, of string) string {
	if count <= 0 {
		return ""
	}
	picked := make([]byte, count)
	for i := range picked {
		picked[i] = of[w.random.IntN(len(of))]
	}
	return string(picked)
}

func ascii() string {
	var all strings.Builder
	for c := byte(' '); c <= '~'; c++ {
		all.WriteByte(c)
	}
	return all.String()
}

func (w *world) shuffle(text string) string {
	w.note("shuffle")
	runes := []rune(text)
	w.random.Shuffle(len(runes), func(i, j int) { runes[i], runes[j] = runes[j], runes[i] })
	return string(runes)
}

func (w *world) uuid() string {
	w.note("uuidv4")
	b := w.bytes(16)
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// bcrypt has the shape of a hash of cost 10; a real one takes a tenth of a second.
func (w *world) bcrypt() string { return "$2a$10$" + w.pick(53, "./"+letters+digits) }

// encryptAES writes what sprig's decryptAES reads: the initial vector, then CBC with PKCS#7 padding.
func (w *world) encryptAES(password, plain string) (string, error) {
	if plain == "" {
		return "", nil
	}
	w.note("encryptAES")
	key := make([]byte, 32)
	copy(key, password)
	block, err := aes.NewCipher(key)
	if err != nil {
		return "", err
	}
	padding := aes.BlockSize - len(plain)%aes.BlockSize
	content := append([]byte(plain), slices.Repeat([]byte{byte(padding)}, padding)...)
	sealed := append(w.bytes(aes.BlockSize), content...)
	cipher.NewCBCEncrypter(block, sealed[:aes.BlockSize]).CryptBlocks(sealed[aes.BlockSize:], content)
	return base64.StdEncoding.EncodeToString(sealed), nil
}
