const ENGLISH = "I found nothing in the documents that answers this question."

/** What an answer says when nothing that was found answers the question, by language. */
const REFUSALS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    pt: "Não encontrei nos documentos nada que responda a esta pergunta.",
    es: "No he encontrado en los documentos nada que responda a esta pregunta.",
    fr: "Je n'ai rien trouvé dans les documents qui réponde à cette question.",
    de: "Ich habe in den Dokumenten nichts gefunden, was diese Frage beantwortet.",
    it: "Non ho trovato nei documenti nulla che risponda a questa domanda.",
    nl: "Ik heb in de documenten niets gevonden dat deze vraag beantwoordt.",
    ca: "No he trobat en els documents res que respongui a aquesta pregunta.",
    gl: "Non atopei nos documentos nada que responda a esta pregunta.",
    sv: "Jag hittade inget i dokumenten som besvarar den här frågan.",
    da: "Jeg fandt intet i dokumenterne, der besvarer dette spørgsmål.",
    pl: "Nie znalazłem w dokumentach niczego, co odpowiadałoby na to pytanie.",
    ro: "Nu am găsit în documente nimic care să răspundă la această întrebare.",
  }),
)

/** The refusal in a question's language (`pt-BR` as `pt`); English where there is no text in it, or nobody knows it. */
export function refusalText(language: string | null): string {
  return REFUSALS.get(language?.toLowerCase().split("-")[0] ?? "en") ?? ENGLISH
}
