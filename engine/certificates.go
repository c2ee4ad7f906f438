package main

import (
	"crypto"
	"crypto/dsa" //nolint:staticcheck // sprig offers it, so charts may ask for it
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"reflect"
	"strings"
	"text/template"
	"time"
)

// certificate has the fields templates read from sprig's.
type certificate struct {
	Cert string
	Key  string
}

// certificateFunctions make keys from the world's chance. Where sprig would make an RSA key of its own, the
// key is an Ed25519 one: it costs microseconds instead of a second, and templates pass it on unread.
func (w *world) certificateFunctions() template.FuncMap {
	return template.FuncMap{
		"buildCustomCert": buildCustomCert,
		"genPrivateKey":   w.privateKey,
		"genCA": func(name string, days int) (certificate, error) {
			w.note("genCA")
			return w.authority(name, days, w.ed25519())
		},
		"genCAWithKey": func(name string, days int, key string) (certificate, error) {
			w.note("genCAWithKey")
			return w.withKey(key, func(k crypto.Signer) (certificate, error) { return w.authority(name, days, k) })
		},
		"genSelfSignedCert": func(name string, ips, names []any, days int) (certificate, error) {
			w.note("genSelfSignedCert")
			return w.selfSigned(name, ips, names, days, w.ed25519())
		},
		"genSelfSignedCertWithKey": func(name string, ips, names []any, days int, key string) (certificate, error) {
			w.note("genSelfSignedCertWithKey")
			return w.withKey(key, func(k crypto.Signer) (certificate, error) { return w.selfSigned(name, ips, names, days, k) })
		},
		"genSignedCert": func(name string, ips, names []any, days int, ca certificate) (certificate, error) {
			w.note("genSignedCert")
			return w.signed(name, ips, names, days, ca, w.ed25519())
		},
		"genSignedCertWithKey": func(name string, ips, names []any, days int, ca certificate, key string) (certificate, error) {
			w.note("genSignedCertWithKey")
			return w.withKey(key, func(k crypto.Signer) (certificate, error) { return w.signed(name, ips, names, days, ca, k) })
		},
	}
}

// buildCustomCert is sprig's own, its result in our type, which genSignedCert takes.
func buildCustomCert(cert, key string) (certificate, error) {
	made := reflect.ValueOf(sprigFunctions()["buildCustomCert"]).Call([]reflect.Value{reflect.ValueOf(cert), reflect.ValueOf(key)})
	if err, _ := made[1].Interface().(error); err != nil {
		return certificate{}, err
	}
	return certificate{Cert: made[0].FieldByName("Cert").String(), Key: made[0].FieldByName("Key").String()}, nil
}

func (w *world) authority(name string, days int, key crypto.Signer) (certificate, error) {
	form, err := w.form(name, nil, nil, days)
	if err != nil {
		return certificate{}, err
	}
	form.KeyUsage |= x509.KeyUsageCertSign
	form.IsCA = true
	return w.sign(form, key, form, key)
}

func (w *world) selfSigned(name string, ips, names []any, days int, key crypto.Signer) (certificate, error) {
	form, err := w.form(name, ips, names, days)
	if err != nil {
		return certificate{}, err
	}
	return w.sign(form, key, form, key)
}

func (w *world) signed(name string, ips, names []any, days int, ca certificate, key crypto.Signer) (certificate, error) {
	block, _ := pem.Decode([]byte(ca.Cert))
	if block == nil {
		return certificate{}, errors.New("unable to decode certificate")
	}
	parent, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return certificate{}, fmt.Errorf("error parsing certificate: %w", err)
	}
	form, err := w.form(name, ips, names, days)
	if err != nil {
		return certificate{}, err
	}
	return w.withKey(ca.Key, func(signer crypto.Signer) (certificate, error) { return w.sign(form, key, parent, signer) })
}

func (w *world) form(name string, ips, names []any, days int) (*x509.Certificate, error) {
	form := &x509.Certificate{
		SerialNumber:          new(big.Int).SetBytes(w.bytes(16)),
		Subject:               pkix.Name{CommonName: name},
		NotBefore:             w.now,
		NotAfter:              w.now.Add(24 * time.Hour * time.Duration(days)),
		KeyUsage:              x509.KeyUsageKeyEncipherment | x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		BasicConstraintsValid: true,
	}
	for _, ip := range ips {
		text, ok := ip.(string)
		if !ok {
			return nil, fmt.Errorf("error parsing ip: %v is not a string", ip)
		}
		parsed := net.ParseIP(text)
		if parsed == nil {
			return nil, fmt.Errorf("error parsing ip: %s", text)
		}
		form.IPAddresses = append(form.IPAddresses, parsed)
	}
	for _, name := range names {
		text, ok := name.(string)
		if !ok {
			return nil, fmt.Errorf("error processing alternate dns name: %v is not a string", name)
		}
		form.DNSNames = append(form.DNSNames, text)
	}
	return form, nil
}

func (w *world) sign(form *x509.Certificate, key crypto.Signer, parent *x509.Certificate, signer crypto.Signer) (certificate, error) {
	der, err := x509.CreateCertificate(w.source, form, parent, key.Public(), sameSignature{signer})
	if err != nil {
		return certificate{}, fmt.Errorf("error creating certificate: %w", err)
	}
	keyBlock, err := keyPEM(key)
	if err != nil {
		return certificate{}, fmt.Errorf("error pem-encoding key: %w", err)
	}
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return certificate{Cert: string(cert), Key: keyBlock}, nil
}

// sameSignature signs without chance: ECDSA does so when it is given none.
type sameSignature struct{ crypto.Signer }

func (s sameSignature) Sign(chance io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	if _, ok := s.Signer.(*ecdsa.PrivateKey); ok {
		chance = nil
	}
	return s.Signer.Sign(chance, digest, opts)
}

func (w *world) withKey(key string, then func(crypto.Signer) (certificate, error)) (certificate, error) {
	parsed, err := parseKey(key)
	if err != nil {
		return certificate{}, fmt.Errorf("parsing private key: %w", err)
	}
	return then(parsed)
}

func parseKey(text string) (crypto.Signer, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("no PEM data in input")
	}
	var key any
	var err error
	switch block.Type {
	case "PRIVATE KEY":
		key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	case "RSA PRIVATE KEY":
		key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	case "EC PRIVATE KEY":
		key, err = x509.ParseECPrivateKey(block.Bytes)
	default:
		return nil, fmt.Errorf("a PEM block of type %s holds no key that can sign", block.Type)
	}
	if err != nil {
		return nil, err
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("a key of type %T cannot sign", key)
	}
	return signer, nil
}

func keyPEM(key any) (string, error) {
	var kind string
	var der []byte
	var err error
	switch key := key.(type) {
	case *rsa.PrivateKey:
		kind, der = "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(key)
	case *ecdsa.PrivateKey:
		kind = "EC PRIVATE KEY"
		der, err = x509.MarshalECPrivateKey(key)
	case *dsa.PrivateKey:
		kind = "DSA PRIVATE KEY"
		der, err = asn1.Marshal(struct {
			Version       int
			P, Q, G, Y, X *big.Int
		}{0, key.P, key.Q, key.G, key.Y, key.X})
	default:
		kind = "PRIVATE KEY"
		der, err = x509.MarshalPKCS8PrivateKey(key)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})), err
}

func (w *world) privateKey(kind string) string {
	var key any
	switch kind {
	case "", "rsa":
		key = w.rsa()
	case "dsa":
		key = w.dsa()
	case "ecdsa":
		key = w.ecdsa()
	case "ed25519":
		key = w.ed25519()
	default:
		return "Unknown type " + kind
	}
	w.note("genPrivateKey")
	text, err := keyPEM(key)
	if err != nil {
		return fmt.Sprintf("failed to generate private key: %s", err)
	}
	return text
}

// The standard library's generators draw from the system's chance whatever they are given.

func (w *world) ed25519() ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(w.bytes(ed25519.SeedSize))
}

func (w *world) ecdsa() *ecdsa.PrivateKey {
	for {
		if key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), w.bytes(32)); err == nil {
			return key
		}
	}
}

// rsa makes a key of 1024 bits: a real key for whoever parses it, found in milliseconds.
func (w *world) rsa() *rsa.PrivateKey {
	one, exponent := big.NewInt(1), big.NewInt(65537)
	prime := func() *big.Int {
		for {
			p := new(big.Int).SetBytes(w.bytes(64))
			p.SetBit(p, 511, 1).SetBit(p, 510, 1).SetBit(p, 0, 1)
			if p.ProbablyPrime(0) && new(big.Int).GCD(nil, nil, exponent, new(big.Int).Sub(p, one)).Cmp(one) == 0 {
				return p
			}
		}
	}
	p, q := prime(), prime()
	totient := new(big.Int).Mul(new(big.Int).Sub(p, one), new(big.Int).Sub(q, one))
	key := &rsa.PrivateKey{
		PublicKey: rsa.PublicKey{N: new(big.Int).Mul(p, q), E: int(exponent.Int64())},
		D:         new(big.Int).ModInverse(exponent, totient),
		Primes:    []*big.Int{p, q},
	}
	key.Precompute()
	return key
}

// dsa makes a key in one group, because to find a group takes seconds; the group is no secret.
func (w *world) dsa() *dsa.PrivateKey {
	key := &dsa.PrivateKey{}
	key.P, key.Q, key.G = fromHex(dsaP), fromHex(dsaQ), fromHex(dsaG)
	key.X = new(big.Int).Mod(new(big.Int).SetBytes(w.bytes(40)), key.Q)
	key.Y = new(big.Int).Exp(key.G, key.X, key.P)
	return key
}

func fromHex(text string) *big.Int {
	number, _ := new(big.Int).SetString(strings.ReplaceAll(text, "\n", ""), 16)
	return number
}

const (
	dsaP = `
ed136a71953efca89f44cf66dfa91550046ca06536610d9f9a2fc2a6d76f60f5a647031f5fe4d4cb6b85dc59ab9c1d55
aa9dead20eead893d9c56f596d0a5f363429e3ed7a4d1614384195c46e3305cf595715acf9ea979baa853a6e07dd56a8
cd62c4855b74902c48a41b1d9a1e4d159d4c5bd695f083042e4aa2829aa9698f`
	dsaQ = `b335e62c24f1c0378f671434ee5fca5677d913cf`
	dsaG = `
9024f20181935fd88588ef250dab8ecb4e530ec176b5fc7dec5fd2ff85a6621a2c816b04d86e3716d7103a4e74dee165
9de968fc7a439336ebf535a9cbc7ac31ec4071f1865a0dc45356f4bb90615b3ad06f207d3c4f7bcd854e0c72c1023d09
ac0cdeebb2ad8d0e696ac56d15b2c821a3050b4cbce688b9d3f0e2d275ec0d3a`
)
