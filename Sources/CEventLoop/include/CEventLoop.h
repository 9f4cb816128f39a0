void hearth_event_placeholder(void);
