export { makeGatewayFacts } from '#/gateway/make.ts'
