// The validator badge of the default set-up would send the document's address to another host.
SwaggerUIBundle({
  url: "/openapi.json",
  domNode: document.getElementById("reference"),
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
})
