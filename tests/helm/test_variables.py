"""Variables that lead helm away from the cluster that was found."""

import pytest

from watchbill.errors import UserError
from watchbill.helm.variables import refuse_others


def test_helm_may_be_led_to_the_same_context() -> None:
    refuse_others({"HELM_KUBECONTEXT": "staging", "HELM_KUBEINSECURE_SKIP_TLS_VERIFY": "false"}, "staging")


def test_another_context_is_refused() -> None:
    with pytest.raises(UserError, match="HELM_KUBECONTEXT=other") as refused:
        refuse_others({"HELM_KUBECONTEXT": "other"}, "staging")
    assert "--context other" in str(refused.value)


@pytest.mark.parametrize("name", ["HELM_KUBEAPISERVER", "HELM_KUBETOKEN", "HELM_KUBEASUSER"])
def test_another_server_or_user_is_refused(name: str) -> None:
    with pytest.raises(UserError, match=name) as refused:
        refuse_others({name: "x"}, "staging")
    assert f"unset {name}" in str(refused.value)
