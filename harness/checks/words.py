"""Yes and no in the languages that servers are known to speak: options of a question, and booleans shown to a person.

A word stands as it is written, with its accents; a spelling without them stands beside it where people write it so.
"""

from collections.abc import Mapping
from typing import Final

_YES: Final[Mapping[str, str]] = {
    "en": "yes true ok confirm approve run accept proceed continue execute go allow",
    "pt": "sim confirmar confirmo aprovar aprovo executar aceitar aceito continuar prosseguir permitir",
    "es": "sí si aprobar apruebo ejecutar aceptar acepto proceder permitir",
    "de": "ja jawohl ausführen ausfuehren bestätigen bestaetigen bestätige fortfahren zustimmen genehmigen erlauben "
    "akzeptieren freigeben durchführen durchfuehren einverstanden",
    "fr": "oui exécuter executer lancer confirmer confirme approuver accepter continuer poursuivre autoriser valider",
    "it": "sì esegui eseguire conferma confermare confermo approva approvare accetta accettare accetto continua "
    "continuare procedi procedere autorizza autorizzare consenti consentire",
    "nl": "uitvoeren bevestigen bevestig goedkeuren accepteren doorgaan toestaan akkoord",
    "pl": "tak wykonaj wykonać potwierdź potwierdzam zatwierdź zatwierdzam akceptuj akceptuję kontynuuj uruchom zezwól",
}
_NO: Final[Mapping[str, str]] = {
    "en": "no false cancel deny decline reject stop never not abort block don dont without",
    "pt": "não nao cancelar recusar rejeitar parar abortar bloquear nunca sem",
    "es": "sin rechazar detener denegar anular jamás",
    "de": "nein nicht nichts kein keine keinen abbrechen ablehnen verwerfen stoppen verweigern verbieten ohne niemals nie",
    "fr": "non ne pas annuler refuser rejeter arrêter arreter abandonner interrompre bloquer jamais sans",
    "it": "annulla annullare rifiuta rifiutare interrompi interrompere ferma fermare blocca bloccare mai senza",
    "nl": "nee neen niet niets geen annuleren annuleer afbreken weigeren afwijzen nooit zonder",
    "pl": "nie anuluj anulować odrzuć odrzucam przerwij zatrzymaj odmów nigdy bez",
}
_TRUE: Final[Mapping[str, str]] = {
    "en": "true yes on",
    "pt": "sim verdadeiro",
    "es": "sí verdadero",
    "de": "ja wahr",
    "fr": "oui vrai",
    "it": "sì si vero",
    "nl": "ja waar",
    "pl": "tak prawda",
}
_FALSE: Final[Mapping[str, str]] = {
    "en": "false no off",
    "pt": "não nao falso",
    "es": "no falso",
    "de": "nein falsch",
    "fr": "non faux",
    "it": "no falso",
    "nl": "nee neen onwaar",
    "pl": "nie fałsz",
}


def _all(languages: Mapping[str, str]) -> frozenset[str]:
    return frozenset(word for words in languages.values() for word in words.split())


YES: Final = _all(_YES)
NO: Final = _all(_NO)
YES_ALONE: Final = frozenset({"y", "s", "j", "o", "t"})
"""Letters that mean yes where they are all that an option says."""
NO_ALONE: Final = frozenset({"n"})
TRUE: Final = _all(_TRUE)
FALSE: Final = _all(_FALSE)
EMPTY: Final = frozenset(
    [
        "null",
        "none",
        "nenhum",
        "—",
        "vazio",
        "empty",
        "leer",
        "keine",
        "kein",
        "aucun",
        "vide",
        "nessuno",
        "vuoto",
        "leeg",
        "geen",
    ]
)
"""How people are shown that there is no value."""
