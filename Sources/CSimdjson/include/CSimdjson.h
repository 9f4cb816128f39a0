void hearth_simdjson_placeholder(void);
