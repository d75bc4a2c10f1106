target_compile_definitions(ingot_http PRIVATE INGOT_VERSION="${PROJECT_VERSION}")
