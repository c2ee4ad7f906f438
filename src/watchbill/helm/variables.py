"""Variables that lead helm, and helm alone, to another cluster or to another user than the kubeconfig does."""

from collections.abc import Mapping

from watchbill.errors import UserError

_CONTEXT = "HELM_KUBECONTEXT"
_OTHERS = (
    "HELM_KUBEAPISERVER",
    "HELM_KUBETOKEN",
    "HELM_KUBECAFILE",
    "HELM_KUBETLS_SERVER_NAME",
    "HELM_KUBEINSECURE_SKIP_TLS_VERIFY",
    "HELM_KUBEASUSER",
    "HELM_KUBEASGROUPS",
)
_UNSET = ("", "false")


def refuse_others(environment: Mapping[str, str], context: str) -> None:
    """Raise a UserError if helm would go elsewhere than the given context."""
    named = environment.get(_CONTEXT, "")
    if named and named != context:
        raise UserError(
            f"{_CONTEXT}={named} leads helm to another context than the one that is deployed to, {context or 'in-cluster'}",
            then=f"say which one is meant: --context {named}, or unset {_CONTEXT}",
        )
    found = [name for name in _OTHERS if environment.get(name, "") not in _UNSET]
    if found:
        raise UserError(
            f"{', '.join(found)} would lead helm to another cluster, or let it act as another user",
            then=f"put it into the kubeconfig, then: unset {' '.join(found)}",
        )
