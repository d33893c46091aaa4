/** What an answer says where nothing found answers the question, by language. */
const REFUSALS: Readonly<Record<string, string>> = {
  en: "I can't answer this from the documents that were found.",
  pt: "Não posso responder a isto a partir dos documentos encontrados.",
  es: "No puedo responder a esto a partir de los documentos encontrados.",
  fr: "Je ne peux pas répondre à cette question à partir des documents trouvés.",
  de: "Das kann ich anhand der gefundenen Dokumente nicht beantworten.",
  it: "Non posso rispondere a questa domanda in base ai documenti trovati.",
  nl: "Ik kan dit niet beantwoorden op basis van de gevonden documenten.",
  sv: "Jag kan inte besvara detta utifrån de dokument som hittades.",
  da: "Jeg kan ikke besvare dette ud fra de dokumenter, der blev fundet.",
  pl: "Nie mogę odpowiedzieć na to pytanie na podstawie znalezionych dokumentów.",
  ru: "Я не могу ответить на это по найденным документам.",
  ja: "見つかった文書からは、この質問に答えられません。",
  zh: "根据找到的文档，我无法回答这个问题。",
}

/** The refusal in a language (`pt-BR` as `pt`), in English where there is none in it or nobody knows it. */
export function refusalIn(language: string | null): string {
  return REFUSALS[language?.split("-")[0] ?? "en"] ?? (REFUSALS["en"] as string)
}
