/** What kind of thing a question asks for, as far as its first words tell. */
export type AnswerType = "money" | "number" | "time" | "person" | "colour" | Measure

/** What is told by a number and a unit of its own. */
type Measure = "length" | "weight" | "speed" | "temperature"

/** By the question's words, the first that fits; English and Portuguese, the languages that the samples are in. */
const ASKED: readonly (readonly [AnswerType, RegExp])[] = [
  [
    "money",
    /\b(costs?|price|fees?|fare|salary|wages?|earn(ed|s)?|paid|pays?|charge[ds]?|insured|valued)\b.*\?|\bquanto (custa|custou|custava|ganha|ganhava|ganhavam|paga|pagam|recebeu|recebem|recebia)\b|\b(preço|multa|salário|caução)\b/iu,
  ],
  [
    "time",
    /^\W*(when|since when|until when|on (which|what) (day|date)s?|(in|since) (what|which) year|what year)\b|^\W*(quando|desde quando|até quando|em que (ano|dia|data|datas|mês)|a que horas)\b/iu,
  ],
  ["colour", /\b(what|which) colou?rs?\b|\b(de )?que cor(es)?\b/iu],
  [
    "weight",
    /\bhow heavy\b|\bhow much (do|does|did|can|may)\b.*\bweigh\b|\b(what|which) (is the |was the )?(\p{L}+ )?weight\b|\bquanto pesa(va)?\b|\bque peso\b/iu,
  ],
  ["speed", /\bhow fast\b|\b(what|which) (is the |was the )?(\p{L}+ )?speed\b|\b(a )?que velocidade\b/iu],
  [
    "temperature",
    /\bhow (hot|cold|warm)\b|\b(what|which) (is the |was the )?(\p{L}+ )?temperature\b|\bhow many degrees\b|\bque temperatura\b|\bquantos graus\b/iu,
  ],
  [
    "length",
    /\bhow (far|deep|tall|thick|high|wide|broad)\b|\b(what|which) (is the |was the )?(\p{L}+ )?(height|depth|length|width|distance|wingspan)\b|\b(a )?que (altura|distância|profundidade|largura)\b/iu,
  ],
  [
    "number",
    /\bhow (many|much|long|old|often|late|later|big|large|close)\b|\b(at|above|below|what|which) (is the |the )?(\p{L}+ )?(height|weight|temperature|depth|speed|length|width|distance|wingspan|degrees|number|frequency)\b|\b(quant[oa]s?|qual é (a|o) (\p{L}+ )?(altura|peso|distância|velocidade|temperatura|carapaça))\b/iu,
  ],
  [
    "person",
    /^\W*(who|whom|whose|quem|de quem)\b|\bname of the (\p{L}+ )*(captain|keeper|owner|coxswain|doctor|man|woman|boy|girl)\b/iu,
  ],
]

const DIGITS = /\d/
const NUMBER_WORDS =
  /\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(thir|four|fif|six|seven|eigh|nine)teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|half|third|quarter|once|twice|dozen|um|uma|dois|duas|três|quatro|cinco|seis|sete|oito|nove|dez|onze|doze|treze|catorze|quinze|dezasseis|dezassete|dezoito|dezanove|vinte|trinta|quarenta|cinquenta|sessenta|setenta|oitenta|noventa|cem|cento|duzentos|mil|milhão|milhões|metade)\b/iu
const MONEY_WORDS =
  /[€$£]|\b(euros?|cents?|dollars?|pounds?|shillings?|pence|escudos?|cêntimos?|dólares|dólar|libras?|reais|real|free|gratuit[oa]s?|nothing|paid|pagam?)\b/iu
const TIME_WORDS =
  /\b(january|february|march|april|may|june|july|august|september|october|november|december|janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro|(mon|tues|wednes|thurs|fri|satur|sun)days?|segunda|terça|quarta|quinta|sexta|sábado|domingo|noon|midnight|morning|night|spring|summer|autumn|winter|easter|christmas|meio-dia|meia-noite|manhã|noite|primavera|verão|outono|inverno|páscoa|natal)\b/iu
const COLOURS =
  /\b(red|white|black|blue|green|yellow|grey|gray|orange|brown|vermelh[oa]s?|branc[oa]s?|pret[oa]s?|azul|azuis|verdes?|amarel[oa]s?|cinzent[oa]s?|castanh[oa]s?)\b/iu

const UNITS: Readonly<Record<Measure, RegExp>> = {
  length:
    /\b([cmk]?m|(kilo|centi|milli)?met(re|er)s?|(quiló|centí|milí)?metros?|miles?|milhas?|fathoms?|braças?|feet|foot|pés|inch(es)?|polegadas?|yards?|leagues?|léguas?|palmos?)\b/iu,
  weight:
    /\b([mk]?g|kilos?|quilos?|(kilo|quilo)?gram(me|a)?s?|tons?|tonnes?|toneladas?|pounds?|libras?|ounces?|onças?|arrobas?)\b/iu,
  speed: /\b(knots?|nós|km\/h|m\/s|(miles|metres|kilometres) an? (hour|second|minute))\b/iu,
  temperature: /°|\b(degrees?|graus?)\b/iu,
}

/** A capital that no sentence or row begins with. */
const NAME = /(?<=\p{Ll}[^.!?\n|]{0,80}\s)\p{Lu}\p{Ll}+/u
const PEOPLE = /\b(he|she|they|i|my|her|his|we|man|woman|boy|girl|ele|ela|eles|nós|homem|mulher|moço)\b/iu

/** Null where the question asks for something else, or doesn't tell. */
export function askedFor(question: string): AnswerType | null {
  return ASKED.find(([, pattern]) => pattern.test(question))?.[0] ?? null
}

/** Whether a sentence has a thing of that kind in it. */
export function holdsType(sentence: string, type: AnswerType): boolean {
  switch (type) {
    case "money":
      return (holdsNumber(sentence) || /\b(free|nothing|gratuit)/iu.test(sentence)) && MONEY_WORDS.test(sentence)
    case "number":
      return holdsNumber(sentence)
    case "colour":
      return COLOURS.test(sentence)
    case "length":
    case "weight":
    case "speed":
    case "temperature":
      // A table has its units in the head.
      return holdsNumber(sentence) && (sentence.includes("|") || UNITS[type].test(sentence))
    case "time":
      return /\d{1,2}[:h]\d{2}|\b\d{4}\b|\b\d{1,2} de \p{L}/u.test(sentence) || TIME_WORDS.test(sentence)
    case "person":
      return NAME.test(sentence) || PEOPLE.test(sentence)
  }
}

const holdsNumber = (sentence: string): boolean => DIGITS.test(sentence) || NUMBER_WORDS.test(sentence)
