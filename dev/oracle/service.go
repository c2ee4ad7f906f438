package main

import (
	"bytes"
	"fmt"
	"net"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/tools/cache"
	core "k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/registry/core/service/ipallocator"
	servicestorage "k8s.io/kubernetes/pkg/registry/core/service/storage"
)

// A Service gets addresses and ports when it is stored: the server's own code does that here too, on
// allocators that always give the same, so that the model can name what it does not know.
const (
	allocatedAddress = "10.96.0.77"
	symbolicAddress  = "allocated"
	firstPort        = 30000
)

type oneAddress struct{}

func (oneAddress) Allocate(net.IP) error             { return nil }
func (oneAddress) AllocateNext() (net.IP, error)     { return net.ParseIP(allocatedAddress), nil }
func (oneAddress) Release(net.IP) error              { return nil }
func (oneAddress) ForEach(func(net.IP))              {}
func (oneAddress) IPFamily() core.IPFamily           { return core.IPv4Protocol }
func (oneAddress) Has(net.IP) bool                   { return true }
func (oneAddress) Destroy()                          {}
func (oneAddress) EnableMetrics()                    {}
func (one oneAddress) DryRun() ipallocator.Interface { return one }
func (oneAddress) CIDR() net.IPNet {
	return net.IPNet{IP: net.IPv4(10, 96, 0, 0), Mask: net.CIDRMask(16, 32)}
}

// lowestPorts gives the lowest port that the Service at hand does not use.
type lowestPorts struct{ used map[int]bool }

func (p *lowestPorts) Allocate(port int) error { p.used[port] = true; return nil }
func (p *lowestPorts) AllocateNext() (int, error) {
	port := firstPort
	for p.used[port] {
		port++
	}
	p.used[port] = true
	return port, nil
}
func (p *lowestPorts) Release(int) error { return nil }
func (p *lowestPorts) ForEach(func(int)) {}
func (p *lowestPorts) Has(port int) bool { return p.used[port] }
func (p *lowestPorts) Destroy()          {}
func (p *lowestPorts) EnableMetrics()    {}

type serviceServer struct {
	ports *lowestPorts
	store *servicestorage.REST
}

var services = newServiceServer()

// nowhere stands for etcd, which is never reached.
type nowhere struct{}

func (nowhere) GetRESTOptions(schema.GroupResource, runtime.Object) (generic.RESTOptions, error) {
	return generic.RESTOptions{
		StorageConfig:  &storagebackend.ConfigForResource{},
		ResourcePrefix: "services",
		Decorator: func(*storagebackend.ConfigForResource, string, func(runtime.Object) (string, error), func() runtime.Object,
			func() runtime.Object, storage.AttrFunc, storage.IndexerFuncs, *cache.Indexers,
		) (storage.Interface, factory.DestroyFunc, error) {
			return nil, func() {}, nil
		},
	}, nil
}

func newServiceServer() *serviceServer {
	ports := &lowestPorts{}
	addresses := map[core.IPFamily]ipallocator.Interface{core.IPv4Protocol: oneAddress{}}
	store, _, _, err := servicestorage.NewREST(nowhere{}, core.IPv4Protocol, addresses, ports, nil, nil, nil)
	if err != nil {
		panic(fmt.Sprintf("no Service storage: %v", err))
	}
	return &serviceServer{ports, store}
}

func (s *serviceServer) uses(service *core.Service) {
	for _, port := range service.Spec.Ports {
		s.ports.used[int(port.NodePort)] = true
	}
	s.ports.used[int(service.Spec.HealthCheckNodePort)] = true
}

func (s *serviceServer) create(w *storing, service *core.Service) error {
	s.ports.used = map[int]bool{}
	s.uses(service)
	if _, err := s.store.BeginCreate(w.ctx, service, &metav1.CreateOptions{}); err != nil {
		return err
	}
	return rest.BeforeCreate(w.strategy, w.ctx, service)
}

func (s *serviceServer) update(w *storing, service, old *core.Service) error {
	s.ports.used = map[int]bool{}
	s.uses(service)
	s.uses(old)
	if _, err := s.store.BeginUpdate(w.ctx, service, old, &metav1.UpdateOptions{}); err != nil {
		return err
	}
	return rest.BeforeUpdate(w.strategy, w.ctx, service, old)
}

// concrete gives the address that the model only names.
func concrete(body []byte) []byte {
	return bytes.ReplaceAll(body, []byte(`"`+symbolicAddress+`"`), []byte(`"`+allocatedAddress+`"`))
}

// symbolic is its inverse.
func symbolic(body []byte) []byte {
	return bytes.ReplaceAll(body, []byte(`"`+allocatedAddress+`"`), []byte(`"`+symbolicAddress+`"`))
}
