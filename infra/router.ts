import { stage } from "./stage.ts"

/** One domain in front of everything (CloudFront). Routes are added where what they lead to is made. */
export const router = new sst.aws.Router("Router", {
  ...(stage.domain && { domain: stage.domain }),
  transform: {
    // A cached answer belongs to the key that got it: without these two in the cache's own key, the picture of one
    // tenant's page could be served to another.
    cachePolicy: (args) => {
      args.parametersInCacheKeyAndForwardedToOrigin = {
        cookiesConfig: { cookieBehavior: "none" },
        headersConfig: {
          headerBehavior: "whitelist",
          headers: { items: ["authorization", "x-api-key", "x-forwarded-host"] },
        },
        queryStringsConfig: { queryStringBehavior: "all" },
        enableAcceptEncodingBrotli: true,
        enableAcceptEncodingGzip: true,
      }
    },
  },
})
