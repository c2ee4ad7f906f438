package main

import (
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"regexp"
	"strings"
	"testing"
	"time"
)

var volatileShapes = map[string]string{
	`{{ now | date "2006-01-02T15:04:05" }}`:                  `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$`,
	`{{ now | unixEpoch }}`:                                   `^\d+$`,
	`{{ date "2006-01-02" "not a date" }}`:                    `^\d{4}-\d\d-\d\d$`,
	`{{ dateInZone "2006-01-02" "not a date" "UTC" }}`:        `^\d{4}-\d\d-\d\d$`,
	`{{ date_in_zone "2006-01-02" "not a date" "UTC" }}`:      `^\d{4}-\d\d-\d\d$`,
	`{{ htmlDate "x" }}`:                                      `^\d{4}-\d\d-\d\d$`,
	`{{ htmlDateInZone "x" "UTC" }}`:                          `^\d{4}-\d\d-\d\d$`,
	`{{ ago 0 }}`:                                             `^\d+h\d+m\d+s$`,
	`{{ durationRound (toDate "2006-01-02" "2025-01-01") }}`:  `^(0s|\d+d)$`,
	`{{ randAlphaNum 40 }}`:                                   `^[a-zA-Z0-9]{40}$`,
	`{{ randAlpha 40 }}`:                                      `^[a-zA-Z]{40}$`,
	`{{ randNumeric 40 }}`:                                    `^[0-9]{40}$`,
	`{{ randAscii 40 }}`:                                      `^[ -~]{40}$`,
	`{{ randBytes 30 }}`:                                      `^[a-zA-Z0-9+/]{40}$`,
	`{{ randInt 1000000 9000000 }}`:                           `^[1-8]\d{6}$`,
	`{{ shuffle "abcdefghijklmnopqrstuvwxyz" }}`:              `^[a-z]{26}$`,
	`{{ uuidv4 }}`:                                            `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`,
	`{{ bcrypt "secret" }}`:                                   `^\$2a\$10\$[./A-Za-z0-9]{53}$`,
	`{{ htpasswd "me" "secret" }}`:                            `^me:\$2a\$10\$[./A-Za-z0-9]{53}$`,
	`{{ encryptAES "key" "plain" }}`:                          `^[a-zA-Z0-9+/=]{44}$`,
	`{{ genPrivateKey "rsa" }}`:                               `^-----BEGIN RSA PRIVATE KEY-----\n[^-]+\n-----END`,
	`{{ genPrivateKey "" }}`:                                  `^-----BEGIN RSA PRIVATE KEY-----\n[^-]+\n-----END`,
	`{{ genPrivateKey "dsa" }}`:                               `^-----BEGIN DSA PRIVATE KEY-----\n[^-]+\n-----END`,
	`{{ genPrivateKey "ecdsa" }}`:                             `^-----BEGIN EC PRIVATE KEY-----\n[^-]+\n-----END`,
	`{{ genPrivateKey "ed25519" }}`:                           `^-----BEGIN PRIVATE KEY-----\n[^-]+\n-----END`,
	`{{ (genCA "ca" 365).Cert }}`:                             `^-----BEGIN CERTIFICATE-----\n[^-]+\n-----END`,
	`{{ (genSelfSignedCert "x" nil nil 1).Key }}`:             `PRIVATE KEY-----`,
	`{{ (genSignedCert "x" nil nil 1 (genCA "ca" 2)).Cert }}`: `^-----BEGIN CERTIFICATE-----\n[^-]+\n-----END`,
}

// Equal seeds give equal text, other seeds another one, and every use is named.
func TestClockAndChanceAreFixed(t *testing.T) {
	for template, shape := range volatileShapes {
		directory := chartOf(t, "-- templates/a.yaml --\nx: |\n  {{ include \"x\" . | nindent 2 }}\n-- templates/b.yaml --\nx: 1\n-- templates/_x.tpl --\n{{ define \"x\" }}"+template+"{{ end }}\n")
		all := renderAll(t, directory, Context{}, Context{}, Context{Seed: 1}, Context{Lines: true})
		value := func(i int) string { return strings.TrimSpace(all[i].object(t, 0)["x"].(string)) }
		if !regexp.MustCompile(shape).MatchString(value(0)) {
			t.Errorf("%s gives %q", template, value(0))
		}
		expect(t, template+" again", value(1), value(0))
		expect(t, template+" with lines", value(3), value(0))
		if value(2) == value(0) {
			t.Errorf("%s gives %q with another seed, too", template, value(0))
		}
		function := regexp.MustCompile(`\b(now|ago|genCA|gen\w+|rand\w+|date\w*|html\w+|durationRound|shuffle|uuidv4|bcrypt|htpasswd|encryptAES)\b`).FindString(template)
		for _, i := range []int{0, 3} {
			found := false
			for _, volatile := range all[i].Volatile {
				expect(t, template, volatile.Template, "c/templates/a.yaml")
				found = found || volatile.Function == function
			}
			if !found {
				t.Errorf("%s: %s is not among %v", template, function, all[i].Volatile)
			}
		}
	}
}

func TestWhoAsked(t *testing.T) {
	directory := chartOf(t, "-- templates/a.yaml --\nx: {{ randAlpha 3 }}\ny: {{ lookup \"v1\" \"Secret\" \"n\" \"s\" | len }}\n")
	result := render(t, directory, Context{})
	expect(t, "chance", result.Volatile, []Volatile{{"c/templates/a.yaml", "randAlpha"}})
	expect(t, "the cluster", result.Lookups[0].Template, "c/templates/a.yaml")
}

func TestWhatIsNotVolatile(t *testing.T) {
	result := render(t, chartOf(t, `-- values.yaml --
m: {c: 3, a: 1, b: 2}
-- templates/a.yaml --
date: {{ date "2006-01-02" 86400 }} {{ toDate "2006-01-02" "2020-02-03" | date "02.01.2006" }}
round: {{ durationRound "90m" }}
keys: {{ keys .Values.m (dict "z" 1 "y" 2) | toJson }}
values: {{ values .Values.m | toJson }}
aes: {{ decryptAES "key" "" | quote }}
password: {{ derivePassword 1 "long" "p" "u" "s" | len }}
nobody: {{ htpasswd "a:b" "c" | quote }}
`), Context{})
	expect(t, "volatile", len(result.Volatile), 0)
	expect(t, "text", result.text(0), `date: 1970-01-02 03.02.2020
round: 1h
keys: ["a","b","c","y","z"]
values: [1,2,3]
aes: ""
password: 14
nobody: "invalid username: a:b"
`)
}

func TestWhatWasEncryptedCanBeDecrypted(t *testing.T) {
	text := renderText(t, "-- templates/a.yaml --\na: {{ encryptAES \"key\" \"sixteen bytes ok\" | decryptAES \"key\" }}\n", Context{})
	expect(t, "text", text, "a: sixteen bytes ok\n")
}

const certificates = `-- templates/a.yaml --
{{- $ca := %s }}
{{- $cert := genSignedCert "server" (list "10.0.0.1") (list "server.example.com") 30 $ca }}
ca: {{ $ca.Cert | quote }}
cert: {{ $cert.Cert | quote }}
key: {{ $cert.Key | quote }}
`

func TestCertificatesAreRealOnes(t *testing.T) {
	ca := newWorld(5, nil)
	for name, authority := range map[string]string{
		"own":        `genCA "my-ca" 365`,
		"with ecdsa": `genCAWithKey "my-ca" 365 (genPrivateKey "ecdsa")`,
		"with rsa":   `genCAWithKey "my-ca" 365 (genPrivateKey "rsa")`,
		"custom":     `buildCustomCert (.Values.cert | b64enc) (.Values.key | b64enc)`,
	} {
		t.Run(name, func(t *testing.T) {
			archive := strings.Replace(certificates, "%s", authority, 1)
			given, err := ca.authority("my-ca", 365, ca.ecdsa())
			if err != nil {
				t.Fatal(err)
			}
			context := Context{Values: Values{Overlay: map[string]any{"cert": given.Cert, "key": given.Key}}}
			result := render(t, chartOf(t, archive), context)
			object := result.object(t, 0)
			expect(t, "again", render(t, chartOf(t, archive), context).text(0), result.text(0))
			pair, err := tls.X509KeyPair([]byte(object["cert"].(string)), []byte(object["key"].(string)))
			if err != nil {
				t.Fatal(err)
			}
			leaf, _ := x509.ParseCertificate(pair.Certificate[0])
			roots := x509.NewCertPool()
			if !roots.AppendCertsFromPEM([]byte(object["ca"].(string))) {
				t.Fatal("the authority is no certificate")
			}
			options := x509.VerifyOptions{Roots: roots, DNSName: "server.example.com", CurrentTime: newWorld(0, nil).now.Add(time.Hour)}
			if name != "custom" { // which is valid from another seed's day
				if _, err := leaf.Verify(options); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestKeysCanBeReadAndUsed(t *testing.T) {
	w := newWorld(1, nil)
	for _, kind := range []string{"rsa", "ecdsa", "ed25519"} {
		if _, err := w.selfSigned("x", nil, nil, 1, mustKey(t, w.privateKey(kind))); err != nil {
			t.Error(kind, err)
		}
	}
	if block, _ := pem.Decode([]byte(w.privateKey("dsa"))); block == nil {
		t.Error("no key")
	}
	expect(t, "unknown", w.privateKey("x"), "Unknown type x")
	for _, bad := range []string{"", "-----BEGIN X-----\n-----END X-----\n", base64.StdEncoding.EncodeToString([]byte("x"))} {
		if _, err := parseKey(bad); err == nil {
			t.Errorf("%q is a key", bad)
		}
	}
}

func mustKey(t *testing.T, text string) crypto.Signer {
	t.Helper()
	key, err := parseKey(text)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// The template that is rendered is named, not the one that an included text stands in.
func TestUsesAreAttributedToTheTemplateThatIsRendered(t *testing.T) {
	result := render(t, chartOf(t, `-- templates/a.yaml --
sum: {{ include (print $.Template.BasePath "/b.yaml") . | sha256sum }}
after: {{ randInt 1 9 }}
-- templates/b.yaml --
b: {{ uuidv4 }}
{{- $_ := lookup "v1" "Secret" "n" "x" }}
-- templates/c.yaml --
{{ tpl "c: {{ now }}" . }}
-- templates/d.yaml --
d: 1 # {
`), Context{})
	expect(t, "volatile", result.Volatile, []Volatile{
		{"c/templates/a.yaml", "randInt"},
		{"c/templates/a.yaml", "uuidv4"},
		{"c/templates/b.yaml", "uuidv4"},
		{"c/templates/c.yaml", "now"},
	})
	var asked []string
	for _, lookup := range result.Lookups {
		asked = append(asked, lookup.Template)
	}
	expect(t, "lookups", asked, []string{"c/templates/b.yaml", "c/templates/a.yaml"})
}

func TestLookup(t *testing.T) {
	object := func(kind, namespace, name string) map[string]any {
		metadata := map[string]any{"name": name}
		if namespace != "" {
			metadata["namespace"] = namespace
		}
		return map[string]any{"apiVersion": "v1", "kind": kind, "metadata": metadata, "big": 9007199254740993, "f": 1.5}
	}
	cluster := []map[string]any{object("Secret", "a", "x"), object("Secret", "b", "x"), object("Secret", "a", "y"), object("Namespace", "", "a")}
	for _, test := range []struct {
		question, want string
		found          bool
	}{
		{`(lookup "v1" "Secret" "a" "x").metadata.namespace`, "a", true},
		{`(lookup "v1" "Secret" "a" "x").big`, "9007199254740993", true},
		{`(lookup "v1" "Secret" "a" "x").f`, "1.5", true},
		{`lookup "v1" "Secret" "c" "x" | toJson`, "{}", false},
		{`lookup "v1" "Secret" "" "x" | toJson`, "{}", false},
		{`lookup "v2" "Secret" "a" "x" | toJson`, "{}", false},
		{`(lookup "v1" "Secret" "a" "").items | len`, "2", true},
		{`(lookup "v1" "Secret" "" "").items | len`, "3", true},
		{`(lookup "v1" "Secret" "a" "").kind`, "SecretList", true},
		{`(lookup "v1" "Secret" "c" "").items | toJson`, "[]", false},
		{`(lookup "v1" "Namespace" "" "a").metadata.name`, "a", true},
		{`(lookup "v1" "Namespace" "ignored" "a").metadata.name`, "a", true},
		{`(lookup "v1" "Namespace" "" "").items | len`, "1", true},
	} {
		directory := chartOf(t, "-- templates/a.yaml --\nx: '{{ "+test.question+" }}'\n")
		result := render(t, directory, Context{Cluster: cluster})
		expect(t, test.question, []any{result.object(t, 0)["x"], result.Lookups[0].Found}, []any{test.want, test.found})
	}
	nothing := render(t, chartOf(t, "-- templates/a.yaml --\nx: '{{ lookup \"v1\" \"Secret\" \"\" \"\" | toJson }}'\n"), Context{})
	expect(t, "without a cluster", nothing.object(t, 0)["x"], "{}")
	expect(t, "asked", nothing.Lookups, []Lookup{{Template: "c/templates/a.yaml", APIVersion: "v1", Kind: "Secret"}})
}
