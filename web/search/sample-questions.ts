/** A question that the sample documents answer, and what it shows. */
interface SampleQuestion {
  readonly question: string
  readonly language: "en" | "pt"
  readonly shows: string
  /** Offered where this document is in the collection: it answers. */
  readonly document: string
}

/** Questions for who sees the samples for the first time; each finds its passage another way. */
export const SAMPLE_QUESTIONS: readonly SampleQuestion[] = [
  {
    question: "food that lasted a year on board ship",
    language: "en",
    shows: "Found by what it means: the recipe speaks of biscuits at sea",
    document: "en/recipe-ships-biscuit",
  },
  {
    question: "At what price was ice sold in summer?",
    language: "en",
    shows: "Stands in a ruled table on a printed page",
    document: "en/ice-house-report-1936",
  },
  {
    question: "Who sang in order to stay awake?",
    language: "en",
    shows: "Asked in English, testified in Portuguese",
    document: "andorinha-inquiry-1934",
  },
  {
    question: "Quanto aguenta a prancha do cais?",
    language: "pt",
    shows: "Read from the scan of a typed notice",
    document: "pt/edital-do-sal-1949",
  },
  {
    question: "A que horas abre a biblioteca ao sábado?",
    language: "pt",
    shows: "A plain question, in Portuguese",
    document: "pt/horario-da-biblioteca",
  },
  {
    question: '"silver medal"',
    language: "en",
    shows: "These very words, side by side",
    document: "en/lifeboat-constanca",
  },
]

/** Questions whose answers are shown beside the box, on their pages: printed, and scanned. */
export const PROVEN = [
  {
    question: "At what price was ice sold in summer?",
    language: "en",
    document: "en/ice-house-report-1936",
    says: "From a table in print",
  },
  {
    question: "Quanto aguenta a prancha do cais?",
    language: "pt",
    document: "pt/edital-do-sal-1949",
    says: "From the scan of a notice",
  },
] as const
