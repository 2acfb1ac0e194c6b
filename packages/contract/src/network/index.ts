export { joinErrors, resolverErrors } from './errors.ts'
