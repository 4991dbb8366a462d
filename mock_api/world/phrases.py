"""What a finance team in Brazil would write: the texts that worlds are made of."""

WORKSPACES = (
    ("Contas a receber", "Tudo o que a tesouraria recebe: boletos, Pix e cartões"),
    ("Contas a pagar", "Fornecedores, impostos e folha"),
    ("Conciliação bancária", "Extratos contra o ERP, dia a dia"),
    ("Fiscal", "Notas emitidas e tomadas, guias e obrigações"),
)
ACTIVITIES = (
    ("Baixa de boletos", "Liquidação no ERP do que o banco já recebeu"),
    ("Emissão de notas", "NFS-e das vendas faturadas"),
    ("Pagamento de fornecedores", "Da nota aprovada ao comprovante"),
    ("Fechamento do dia", "Saldos, diferenças e pendências"),
)
TASKS = (
    ("Baixar boletos pagos", "Lê o extrato de cobrança do banco e dá baixa dos boletos pagos no ERP"),
    ("Emitir notas do dia", "Emite as notas das vendas faturadas e envia o PDF ao cliente"),
    ("Conciliar extrato", "Compara o extrato com os lançamentos do ERP e aponta as diferenças"),
    ("Programar pagamentos", "Agenda no banco os pagamentos aprovados que vencem no dia"),
    ("Cobrar títulos vencidos", "Separa os títulos vencidos e prepara a régua de cobrança"),
)
INSTRUCTIONS = (
    "Use somente a data de referência. Se um valor não bater, abra uma pendência e siga adiante.",
    "Confira o total antes de gravar. Acima de R$ 10.000,00 pare e espere uma pessoa.",
    "Não altere lançamentos já conciliados. Registre cada sistema consultado.",
)
SYSTEMS = ("Banco do Brasil", "Itaú", "Bradesco", "Omie", "TOTVS Protheus", "Conta Azul", "NFS-e São Paulo")
SECRETS = ("BANCO_CLIENT_ID", "BANCO_CLIENT_SECRET", "ERP_API_KEY", "NFSE_TOKEN")
ENVIRONMENTS = (("Produção", "production"), ("Homologação", "staging"))
CRONS = ("0 8 * * 1-5", "30 18 * * *", "0 6 1 * *", "15 9-17 * * 1-5")
MEMORIES = (
    ("Prazo do banco", "O retorno do banco chega depois das 7h; antes disso o extrato vem incompleto."),
    ("Fornecedor com dois CNPJs", "A filial fatura com outro CNPJ; some os dois antes de conciliar."),
    ("Centro de custo padrão", "Sem centro de custo na nota, use o 1.02 e abra uma pendência."),
    ("Arredondamento", "Diferenças de até R$ 0,05 são arredondamento e não viram pendência."),
)
EVENTS = (
    ("step", "Separou os lançamentos da data de referência"),
    ("system_called", "Consultou o sistema e guardou o comprovante"),
    ("decision", "Classificou uma diferença como arredondamento"),
    ("step", "Comparou os totais com o dia anterior"),
)
LOGS = (
    ("info", "Sessão aberta no sistema"),
    ("debug", "Página 1 de 1 lida, 48 lançamentos"),
    ("warning", "Resposta lenta, segunda tentativa"),
    ("info", "Totais conferidos"),
    ("debug", "Sessão encerrada"),
)
TODOS = (
    ("Conferir boleto pago a maior", "O banco recebeu R$ 12,40 a mais do que o título."),
    ("Aprovar pagamento acima do limite", "O pagamento passa de R$ 10.000,00 e espera um aprovador."),
    ("Informar centro de custo", "A nota chegou sem centro de custo."),
    ("Renovar o certificado digital", "O certificado vence nos próximos dias."),
)
FAILURES = (
    ("bank_login_failed", "O banco recusou o acesso: senha expirada."),
    ("erp_unavailable", "O ERP não respondeu depois de três tentativas."),
    ("missing_secret", "Falta um secret no ambiente."),
)
SUMMARIES = (
    "48 lançamentos conferidos, 46 conciliados, 2 pendências abertas.",
    "17 boletos baixados, nenhum valor divergente.",
    "9 notas emitidas e enviadas aos clientes.",
)
ROLES = (
    ("Analista financeiro", "Lê tudo, não executa", ["agent.tasks.read", "agent.executions.read"]),
    ("Operador", "Executa e acompanha", ["agent.tasks.read", "agent.tasks.run", "agent.executions.read"]),
    ("Auditor", "Só consulta o histórico", ["agent.executions.read", "agent.execution_events.read"]),
)
SKILLS = (
    ("ler-extrato", "Ler extrato", "Lê extratos OFX, CNAB e PDF"),
    ("baixar-titulo", "Baixar título", "Dá baixa de um título no ERP"),
    ("emitir-nfse", "Emitir NFS-e", "Emite uma nota de serviço e guarda o XML"),
)
PLAYBOOK = """# Kadu Playbook

## Princípios
1. Nada é pago sem aprovação de uma pessoa.
2. Toda diferença acima de R$ 0,05 vira pendência.

## Rotina
- Até as 8h: extratos e baixas.
- Até as 18h: notas e conciliação.
"""
DELIVERED = ("execution.succeeded", "execution.failed", "execution.waiting", "todo.created")
