"""What the operations of Kadu do, by the name that `does` has in the contract."""

from mock_api.behaviours import (
    kadu_approvals,
    kadu_executions,
    kadu_files,
    kadu_settings,
    kadu_structure,
    kadu_usage,
    kadu_webhooks,
)
from mock_api.behaviours.kadu_executions import advance
from mock_api.behaviours.kadu_files import presigned, uploaded
from mock_api.calls import Behaviour

BEHAVIOURS: dict[str, Behaviour] = {
    **kadu_structure.BEHAVIOURS,
    **kadu_settings.BEHAVIOURS,
    **kadu_executions.BEHAVIOURS,
    **kadu_usage.BEHAVIOURS,
    **kadu_files.BEHAVIOURS,
    **kadu_webhooks.BEHAVIOURS,
    **kadu_approvals.BEHAVIOURS,
}

__all__ = ["BEHAVIOURS", "advance", "presigned", "uploaded"]
