"""What custom resources bring into being some time after they are made: the data behind WB209.

A name is written as fields in braces: `{spec.target.name or metadata.name}`; `[]` is each item of a list, `{}` each
key of a map. A field that is not there gives no name, so a product that must be asked for is simply not made.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any

from msgspec import Struct

from watchbill.lifecycle.objects import Body, Key, at
from watchbill.patterns import regex

ANYWHERE = frozenset({("trust.cert-manager.io", "Bundle"), ("external-secrets.io", "ClusterExternalSecret")})
FIELD = regex(r"\{((?:[^{}]|\{\})+)\}")


class Product(Struct, frozen=True):
    kind: str  # Secret, ConfigMap, Service
    name: str
    only: tuple[str, Any] = ("", None)  # a field and the value without which it is not made
    never: tuple[str, tuple[str, ...]] = ("", ())  # a field and values with which it is not made


def _secrets(*names: str) -> tuple[Product, ...]:
    return tuple(Product("Secret", name) for name in names)


def _services(*names: str) -> tuple[Product, ...]:
    return tuple(Product("Service", name) for name in names)


_OWN_NAME = _secrets("{metadata.name}")
_VAULT = (Product("Secret", "{spec.destination.name}", only=("spec.destination.create", True)),)
_CERTIFICATE = _secrets("{spec.secretName}")
_BINDING = _secrets("{spec.secretName or metadata.name}")
_INFISICAL = (
    *_secrets("{spec.managedSecretReference.secretName}", "{spec.managedKubeSecretReferences[].secretName}"),
    Product("ConfigMap", "{spec.managedKubeConfigMapReferences[].configMapName}"),
)

PRODUCTS: dict[tuple[str, str], tuple[Product, ...]] = {
    # Secrets out of other stores.
    ("external-secrets.io", "ExternalSecret"): (
        Product(
            "Secret",
            "{spec.target.name or metadata.name}",
            never=("spec.target.creationPolicy", ("None", "Merge")),
        ),
    ),
    ("external-secrets.io", "ClusterExternalSecret"): _secrets(
        "{spec.externalSecretSpec.target.name or spec.externalSecretName or metadata.name}"
    ),
    ("kubernetes-client.io", "ExternalSecret"): _OWN_NAME,
    ("bitnami.com", "SealedSecret"): _OWN_NAME,
    ("secrets.hashicorp.com", "VaultStaticSecret"): _VAULT,
    ("secrets.hashicorp.com", "VaultDynamicSecret"): _VAULT,
    ("secrets.hashicorp.com", "VaultPKISecret"): _VAULT,
    ("secrets.hashicorp.com", "HCPVaultSecretsApp"): _VAULT,
    ("ricoberger.de", "VaultSecret"): _OWN_NAME,
    ("secrets.infisical.com", "InfisicalSecret"): _INFISICAL,
    ("secrets.infisical.com", "InfisicalDynamicSecret"): _INFISICAL,
    ("onepassword.com", "OnePasswordItem"): _OWN_NAME,
    ("secrets.doppler.com", "DopplerSecret"): _secrets("{spec.managedSecret.name}"),
    ("spv.no", "AzureKeyVaultSecret"): (
        *_secrets("{spec.output.secret.name}"),
        Product("ConfigMap", "{spec.output.configMap.name}"),
    ),
    ("isindir.github.com", "SopsSecret"): _secrets("{spec.secretTemplates[].name}"),
    ("k8s.bitwarden.com", "BitwardenSecret"): _secrets("{spec.secretName}"),
    ("lockbox.yandex.cloud", "LockboxSecret"): _OWN_NAME,
    ("secrets-store.csi.x-k8s.io", "SecretProviderClass"): _secrets("{spec.secretObjects[].secretName}"),
    # Secrets that are made up.
    ("secretgenerator.mittwald.de", "StringSecret"): _OWN_NAME,
    ("secretgenerator.mittwald.de", "BasicAuth"): _OWN_NAME,
    ("secretgenerator.mittwald.de", "SSHKeyPair"): _OWN_NAME,
    ("secretgen.k14s.io", "Password"): _OWN_NAME,
    ("secretgen.k14s.io", "Certificate"): _OWN_NAME,
    ("secretgen.k14s.io", "RSAKey"): _OWN_NAME,
    ("secretgen.k14s.io", "SSHKey"): _OWN_NAME,
    ("secretgen.carvel.dev", "SecretImport"): _OWN_NAME,
    # Certificates.
    ("cert-manager.io", "Certificate"): _CERTIFICATE,
    ("certmanager.k8s.io", "Certificate"): _CERTIFICATE,
    ("trust.cert-manager.io", "Bundle"): (
        Product("ConfigMap", "{metadata.name}"),
        Product("Secret", "{metadata.name}"),
    ),
    # Accounts and addresses of what an operator runs.
    ("postgresql.cnpg.io", "Cluster"): (
        *_secrets("{metadata.name}-app", "{metadata.name}-superuser", "{metadata.name}-ca"),
        *_services("{metadata.name}-rw", "{metadata.name}-ro", "{metadata.name}-r"),
    ),
    ("postgresql.cnpg.io", "Pooler"): _services("{metadata.name}"),
    ("acid.zalan.do", "postgresql"): (
        *_secrets(
            "{spec.users{}}.{metadata.name}.credentials.postgresql.acid.zalan.do",
            "postgres.{metadata.name}.credentials.postgresql.acid.zalan.do",
        ),
        *_services("{metadata.name}", "{metadata.name}-repl"),
    ),
    ("postgres-operator.crunchydata.com", "PostgresCluster"): (
        *_secrets("{metadata.name}-pguser-{spec.users[].name or metadata.name}"),
        *_services("{metadata.name}-primary", "{metadata.name}-replicas", "{metadata.name}-pgbouncer"),
    ),
    ("pgv2.percona.com", "PerconaPGCluster"): (
        *_secrets("{metadata.name}-pguser-{spec.users[].name or metadata.name}"),
        *_services("{metadata.name}-ha", "{metadata.name}-pgbouncer"),
    ),
    ("pxc.percona.com", "PerconaXtraDBCluster"): (
        Product("Secret", "{spec.secretsName}"),
        *_secrets("{metadata.name}-secrets"),
        *_services("{metadata.name}-haproxy", "{metadata.name}-proxysql", "{metadata.name}-pxc"),
    ),
    ("psmdb.percona.com", "PerconaServerMongoDB"): (
        *_secrets("{spec.secrets.users}", "{metadata.name}-secrets"),
        *_services("{metadata.name}-mongos", "{metadata.name}-{spec.replsets[].name}"),
    ),
    ("mongodbcommunity.mongodb.com", "MongoDBCommunity"): (
        *_secrets("{spec.users[].connectionStringSecretName}"),
        *_services("{metadata.name}-svc"),
    ),
    ("k8s.mariadb.com", "MariaDB"): (
        Product(
            "Secret",
            "{spec.rootPasswordSecretKeyRef.name}",
            only=("spec.rootPasswordSecretKeyRef.generate", True),
        ),
        Product(
            "Secret", "{spec.passwordSecretKeyRef.name}", only=("spec.passwordSecretKeyRef.generate", True)
        ),
        *_services("{metadata.name}", "{metadata.name}-primary"),
    ),
    ("mysql.oracle.com", "InnoDBCluster"): _services("{metadata.name}"),
    ("rabbitmq.com", "RabbitmqCluster"): (
        *_secrets("{metadata.name}-default-user"),
        *_services("{metadata.name}"),
    ),
    ("rabbitmq.com", "User"): _secrets("{metadata.name}-user-credentials"),
    ("kafka.strimzi.io", "Kafka"): (
        *_secrets("{metadata.name}-cluster-ca-cert", "{metadata.name}-clients-ca-cert"),
        *_services("{metadata.name}-kafka-bootstrap", "{metadata.name}-kafka-brokers"),
    ),
    ("kafka.strimzi.io", "KafkaUser"): _OWN_NAME,
    ("elasticsearch.k8s.elastic.co", "Elasticsearch"): (
        *_secrets("{metadata.name}-es-elastic-user", "{metadata.name}-es-http-certs-public"),
        *_services("{metadata.name}-es-http"),
    ),
    ("k8s.keycloak.org", "Keycloak"): (
        *_secrets("{metadata.name}-initial-admin"),
        *_services("{metadata.name}-service"),
    ),
    ("objectbucket.io", "ObjectBucketClaim"): (*_OWN_NAME, Product("ConfigMap", "{metadata.name}")),
    ("ceph.rook.io", "CephObjectStoreUser"): _secrets("rook-ceph-object-user-{spec.store}-{metadata.name}"),
    ("servicecatalog.k8s.io", "ServiceBinding"): _BINDING,
    ("services.cloud.sap.com", "ServiceBinding"): _BINDING,
}
# Any kind may say so: this is how Crossplane's hand out what they made.
OF_ANY_KIND = _secrets("{spec.writeConnectionSecretToRef.name}")


def products(key: Key, body: Body, namespace: str) -> Iterator[Key]:
    """What it brings into being in a namespace."""
    if key.namespace != namespace and (key.group, key.kind) not in ANYWHERE:
        return
    for made in PRODUCTS.get((key.group, key.kind), OF_ANY_KIND if "." in key.group else ()):
        field, wanted = made.only
        if field and at(body.object, *field.split(".")) != wanted:
            continue
        field, unwanted = made.never
        if field and at(body.object, *field.split(".")) in unwanted:
            continue
        for name in _names(made.name, body.object):
            yield Key("", made.kind, namespace, name)


def _names(template: str, thing: Any) -> Iterator[str]:
    """Every name a template gives; a field with several values gives several."""
    pieces = FIELD.split(template)  # text, field, text, field, ..., text
    choices = [[piece] if place % 2 == 0 else _first(piece, thing) for place, piece in enumerate(pieces)]
    yield from ("".join(chosen) for chosen in product(*choices))


def _first(fields: str, thing: Any) -> list[str]:
    """The values of the first field that has any."""
    for field in fields.split(" or "):
        if found := _values(thing, field.split(".")):
            return found
    return []


def _values(thing: Any, path: list[str]) -> list[str]:
    if not path:
        return [thing] if isinstance(thing, str) and thing else []
    name, rest = path[0], path[1:]
    inner = thing.get(name.removesuffix("[]").removesuffix("{}")) if isinstance(thing, dict) else None
    if name.endswith("{}"):
        return [str(key).replace("_", "-") for key in inner] if isinstance(inner, dict) else []
    items = inner if name.endswith("[]") and isinstance(inner, list) else [inner]
    return [value for item in items for value in _values(item, rest)]
