// CoreDNS with the plugins a test cluster needs and no others.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/ready"
	_ "github.com/coredns/coredns/plugin/template"
)

// The order is the order of execution: `template` answers what `kubernetes` does not know.
func init() {
	dnsserver.Directives = []string{"bind", "ready", "errors", "cache", "kubernetes", "template"}
}

func main() { coremain.Run() }
