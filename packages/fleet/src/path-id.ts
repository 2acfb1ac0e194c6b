/** A positive record id as a path writes it; undefined for any other text, which names no record. */
export function pathId(text: string | undefined): number | undefined {
  if (text === undefined || !/^[1-9]\d{0,15}$/.test(text)) return undefined
  const id = Number(text)
  return Number.isSafeInteger(id) ? id : undefined
}

/** A locator by id. */
export const byPathId =
  <R>(find: (id: number) => Promise<R | undefined>) =>
  async (text: string): Promise<R | undefined> => {
    const id = pathId(text)
    return id === undefined ? undefined : find(id)
  }
