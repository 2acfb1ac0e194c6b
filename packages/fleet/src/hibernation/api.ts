export { type HibernationDomain, makeHibernation } from '#/hibernation/make.ts'
export { DEFAULT_SETTINGS, type HibernationParts, type HibernationSettings } from '#/hibernation/parts.ts'
