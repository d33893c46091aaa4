/** What an answer says where nothing found answers the question, by language. */
const ENGLISH = "I can't answer this from the documents that were found."

const REFUSALS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    pt: "Não posso responder a isto a partir dos documentos encontrados.",
    es: "No puedo responder a esto a partir de los documentos encontrados.",
    fr: "Je ne peux pas répondre à cette question à partir des documents trouvés.",
    de: "Das kann ich anhand der gefundenen Dokumente nicht beantworten.",
    it: "Non posso rispondere a questa domanda in base ai documenti trovati.",
    nl: "Ik kan dit niet beantwoorden op basis van de gevonden documenten.",
    ca: "No puc respondre a això a partir dels documents trobats.",
    gl: "Non podo responder a isto a partir dos documentos atopados.",
    ro: "Nu pot răspunde la aceasta pe baza documentelor găsite.",
    sv: "Jag kan inte besvara detta utifrån de dokument som hittades.",
    da: "Jeg kan ikke besvare dette ud fra de dokumenter, der blev fundet.",
    pl: "Nie mogę odpowiedzieć na to pytanie na podstawie znalezionych dokumentów.",
    ru: "Я не могу ответить на это по найденным документам.",
    ja: "見つかった文書からは、この質問に答えられません。",
    zh: "根据找到的文档，我无法回答这个问题。",
  }),
)

/** The refusal in a language (`pt-BR` as `pt`), in English where there is none in it or nobody knows it. */
export function refusalIn(language: string | null): string {
  return REFUSALS.get(language?.toLowerCase().split("-")[0] ?? "en") ?? ENGLISH
}
