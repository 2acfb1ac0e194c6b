/** The output of a script that answers these fields, in this order. */
export const answerText = (fields: Readonly<Record<string, string>>): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name} ${Buffer.byteLength(value)}\n${value}\n`)
    .join('')
