"""Kadu's tables: what the product's documents say about resources, prompts, completions and confirmations."""

from calendar import monthrange
from collections.abc import Mapping
from datetime import date, timedelta

from reference_server.engine.formats import DATE, MONTH
from reference_server.engine.tables import (
    LastMonths,
    Link,
    Listing,
    Product,
    PromptArgument,
    PromptRow,
    Question,
    Refusal,
    ResourceRow,
)

_APPROVALS = Listing("kadu_operation_approvals_list")
_WORKSPACES = Listing("kadu_workspaces_list")
_ACTIVITIES = Listing("kadu_activities_list")
_TASKS = Listing("kadu_tasks_list")
_EXECUTIONS = Listing("kadu_executions_list")
_MEMORIES = Listing("kadu_memories_list")
_ENVIRONMENTS = Listing("kadu_environments_list")
_SCHEDULES = Listing("kadu_schedules_list")

# KADU-RES-01, KADU-RES-02, KADU-RES-03: URI, and the tool that reads it.
_RESOURCES = (
    ResourceRow("me", "kadu_me_get", "me", "Conexão", "A pessoa, a organização e os escopos desta conexão."),
    ResourceRow(
        "repository",
        "kadu_repository_get",
        "repository",
        "Playbook e skills",
        "O Playbook da organização e o catálogo de skills.",
    ),
    ResourceRow(
        "operation_approvals",
        "kadu_operation_approvals_list",
        "operation_approvals",
        "Aprovações",
        "As aprovações por link de quem chama, a mais recente primeiro.",
    ),
    ResourceRow(
        "operation_approvals/{id}",
        "kadu_operation_approvals_get",
        "operation_approval",
        "Aprovação",
        "Uma aprovação por link: o pedido, a decisão e o resultado.",
        _APPROVALS,
    ),
    ResourceRow(
        "workspaces/{id}", "kadu_workspaces_get", "workspace", "Workspace", "Um workspace.", _WORKSPACES
    ),
    ResourceRow(
        "activities/{id}", "kadu_activities_get", "activity", "Atividade", "Uma atividade.", _ACTIVITIES
    ),
    ResourceRow(
        "tasks/{id}", "kadu_tasks_get", "task", "Tarefa", "Uma tarefa, com o esquema dos parâmetros.", _TASKS
    ),
    ResourceRow(
        "executions/{id}", "kadu_executions_get", "execution", "Execução", "Uma execução.", _EXECUTIONS
    ),
    ResourceRow(
        "executions/{id}/events",
        "kadu_executions_events_list",
        "execution_events",
        "Eventos da execução",
        "O que o agente reportou durante uma execução.",
        _EXECUTIONS,
    ),
    ResourceRow(
        "executions/{id}/logs",
        "kadu_executions_logs_list",
        "execution_logs",
        "Logs da execução",
        "As linhas de log de uma execução.",
        _EXECUTIONS,
    ),
    ResourceRow(
        "executions/{id}/todos",
        "kadu_executions_todos_list",
        "execution_todos",
        "Pendências da execução",
        "As pendências que uma execução deixou.",
        _EXECUTIONS,
    ),
    ResourceRow(
        "memories/{id}", "kadu_memories_get", "memory", "Memória", "Uma memória do agente.", _MEMORIES
    ),
    ResourceRow(
        "environments/{id}", "kadu_environments_get", "environment", "Ambiente", "Um ambiente.", _ENVIRONMENTS
    ),
    ResourceRow(
        "schedules/{id}", "kadu_schedules_get", "schedule", "Agendamento", "Um agendamento.", _SCHEDULES
    ),
)


def _a_week_ago(today: date) -> str:
    return (today - timedelta(days=7)).isoformat()


def _failed_executions(arguments: Mapping[str, str], today: date) -> str:
    since = arguments["since"]
    return (
        f"Analise as execuções que falharam desde {since} (hoje é {today.isoformat()}).\n\n"
        f'1. Liste-as com kadu_executions_list, com state "failed" e since "{since}", até a última página.\n'
        "2. De cada uma, leia kadu_executions_get, kadu_executions_events_list e kadu_executions_logs_list.\n"
        "3. Explique em linguagem simples o que deu errado em cada execução, citando o id dela.\n"
        "4. Agrupe as que têm a mesma causa e diga quantas são e quais tarefas atingem.\n\n"
        "Isto é só leitura: não rode, não cancele e não continue nenhuma execução, nem altere configuração. "
        "Se algo precisar ser feito, sugira e espere um pedido explícito."
    )


def _explained_execution(arguments: Mapping[str, str], _: date) -> str:
    execution = arguments["execution_id"]
    return (
        f"Explique, passo a passo, o que o agente fez na execução {execution}.\n\n"
        "Leia kadu_executions_get, kadu_executions_events_list, kadu_executions_logs_list e "
        f'kadu_executions_todos_list, todas com id "{execution}". Conte, nesta ordem:\n'
        "1. o que foi pedido e cada passo que o agente deu;\n"
        "2. os sistemas que ele tocou;\n"
        "3. o resultado;\n"
        "4. as pendências que ficaram para uma pessoa.\n\n"
        "Isto é só leitura: não continue, não cancele e não rode nada, nem altere pendências, "
        "sem um pedido explícito."
    )


def _usage_report(arguments: Mapping[str, str], today: date) -> str:
    month = arguments["month"]
    last_day = monthrange(int(month[:4]), int(month[5:]))[1]
    first, last = f"{month}-01", f"{month}-{last_day:02d}"
    return (
        f"Faça o relatório de uso e custo das execuções do mês {month}, de {first} a {last} "
        f"(hoje é {today.isoformat()}).\n\n"
        "1. Leia kadu_usage_get, kadu_usage_tasks_get e kadu_usage_workspaces_get, "
        f'todas com month "{month}".\n'
        "2. Dê primeiro o total do mês: execuções e custo.\n"
        "3. Resuma, em tabelas, execuções e custo por tarefa e por workspace.\n"
        "4. Aponte as tarefas que mais custaram e quanto do total representam.\n\n"
        "Isto é só leitura: não rode, não cancele e não altere nada sem um pedido explícito."
    )


def _task_readiness(arguments: Mapping[str, str], today: date) -> str:
    task, environment = arguments["task_id"], arguments["environment_id"]
    return (
        f"Diga se a tarefa {task} pode rodar agora no ambiente {environment} "
        f"(hoje é {today.isoformat()}).\n\n"
        f'1. Leia kadu_tasks_get com id "{task}" e kadu_environments_get com id "{environment}".\n'
        f'2. Leia kadu_tasks_readiness_get com id "{task}" e environment_id "{environment}": '
        "plano, teto de custo, secrets e repositório.\n"
        "3. Responda primeiro se ela está pronta. Se não estiver, liste exatamente o que falta: plano, "
        "teto de custo, secrets, repositório.\n\n"
        "Isto é só leitura: não dispare a tarefa e não altere nada sem um pedido explícito."
    )


# KADU-PRM-01, KADU-PRM-02: every tool a text names stands among those it relies on.
_PROMPTS = (
    PromptRow(
        name="review_failed_executions",
        title="Revisar execuções que falharam",
        description="Explica as execuções que falharam desde uma data, agrupando causas repetidas. Só lê.",
        arguments=(
            PromptArgument(
                name="since",
                description="Desde quando, AAAA-MM-DD. Padrão: sete dias atrás.",
                format=DATE,
                default=_a_week_ago,
            ),
        ),
        tools=(
            "kadu_executions_list",
            "kadu_executions_get",
            "kadu_executions_events_list",
            "kadu_executions_logs_list",
        ),
        text=_failed_executions,
    ),
    PromptRow(
        name="explain_execution",
        title="Explicar uma execução",
        description="Explica passo a passo o que o agente fez numa execução e o que ficou pendente. Só lê.",
        arguments=(
            PromptArgument(
                name="execution_id", description="O id da execução.", required=True, source=_EXECUTIONS
            ),
        ),
        tools=(
            "kadu_executions_get",
            "kadu_executions_events_list",
            "kadu_executions_logs_list",
            "kadu_executions_todos_list",
        ),
        text=_explained_execution,
    ),
    PromptRow(
        name="monthly_usage_report",
        title="Relatório mensal de uso",
        description="Resume uso e custo das execuções de um mês, por tarefa e por workspace. Só lê.",
        arguments=(
            PromptArgument(
                name="month",
                description="O mês, AAAA-MM.",
                required=True,
                format=MONTH,
                source=LastMonths(12),
            ),
        ),
        tools=("kadu_usage_get", "kadu_usage_tasks_get", "kadu_usage_workspaces_get"),
        text=_usage_report,
    ),
    PromptRow(
        name="check_task_readiness",
        title="Conferir se uma tarefa pode rodar",
        description="Diz se uma tarefa pode rodar agora num ambiente e, se não, o que falta. Só lê.",
        arguments=(
            PromptArgument(name="task_id", description="O id da tarefa.", required=True, source=_TASKS),
            PromptArgument(
                name="environment_id", description="O id do ambiente.", required=True, source=_ENVIRONMENTS
            ),
        ),
        tools=("kadu_tasks_get", "kadu_environments_get", "kadu_tasks_readiness_get"),
        text=_task_readiness,
    ),
)

KADU = Product(
    name="kadu",
    title="Kadu",
    server_name="kadu",
    instructions=(
        "Ferramentas do Kadu, o agente financeiro. Uma tool destrutiva pede a confirmação da pessoa antes de "
        "rodar; não a repita para insistir. Use idempotency_key, uma por operação de negócio, para poder "
        "tentar de novo."
    ),
    upstream_variable="KADU_API_URL",
    contract_path="/openapi.json",
    extension="x-kadu",
    uri_prefix="kobana://kadu/",
    me_operation="kadu_me_get",
    register_operation="confirmations_create",
    resources=_RESOURCES,
    prompts=_PROMPTS,
    question=Question(
        key="confirmation",
        property="confirm",
        property_title="Executar esta ação",
        opening="{title} ({tool})? Isto só acontece com o seu sim.",
        no_arguments="Sem argumentos.",
        arguments="Argumentos:",
    ),
    without_forms=Link(
        register_operation="operation_approvals_create",
        check_operation="kadu_operation_approvals_get",
        resource="operation_approvals",
        # KADU-APR-03
        message=(
            "Esta ação espera a aprovação de uma pessoa. Mostre a URL ao usuário: ela decide na tela, em até 15 "
            "minutos. Não chame a tool de novo, isso criaria outra aprovação. Consulte a situação só quando o "
            "usuário disser que decidiu. (Show this URL to the user. Do not call the tool again.)"
        ),
    ),
    # KADU-UNA-01
    personless=Refusal(
        "confirmation_required",
        "Esta ação precisa da confirmação de uma pessoa da organização, e não há uma por trás deste token. "
        "Nada foi executado.",
    ),
    permission_code="insufficient_permission",
    forbidden_code="FORBIDDEN",
    error_codes={
        "bad_request": "BAD_REQUEST",
        "unauthorized": "UNAUTHORIZED",
        "forbidden": "FORBIDDEN",
        "not_found": "NOT_FOUND",
        "unprocessable_entity": "UNPROCESSABLE_ENTITY",
        "too_many_requests": "TOO_MANY_REQUESTS",
        "idempotency_key_reused": "IDEMPOTENCY_KEY_REUSED",
        "idempotency_request_in_progress": "IDEMPOTENCY_REQUEST_IN_PROGRESS",
    },
)
